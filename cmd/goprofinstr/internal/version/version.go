// Package version says what an executable of goprofinstr is: its version, what it was built from and with, and which
// versions of files it writes and reads.
//
//	info := version.Read()
//	info.Version // v0.1.0, or (devel)
//	info.Text()  // two lines for people
//	info.Detail() // the same, and what `go version -m` tells, and the formats
//
// The type Info is also the JSON of `goprofinstr version -json`.
package version

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/release"
)

// Path is the path of our module.
const Path = "github.com/goprofinstr/goprofinstr"

// JSONVersion is the version of the schema that Info defines: adding a field keeps it.
const JSONVersion = 1

// Info is what an executable is.
type Info struct {
	Schema    int      `json:"schema"` // its version
	Version   string   `json:"version"`
	OS        string   `json:"os"`
	Arch      string   `json:"arch"`
	Go        string   `json:"go"`         // the release that built it
	WorksWith []string `json:"works_with"` // releases of Go
	Module    string   `json:"module"`
	Sum       string   `json:"sum,omitempty"` // of the module, as in go.sum; "" for one from a working copy

	// Source is nil unless the executable was built in a working copy of our repository.
	Source *Source `json:"source,omitempty"`

	Formats []Format `json:"formats"`
	Modules []Module `json:"modules"` // what else is in the executable

	build *debug.BuildInfo
}

// A Source is the commit that an executable was built from.
type Source struct {
	System   string `json:"system"` // such as git
	Revision string `json:"revision"`
	Time     string `json:"time"` // of the commit, RFC 3339
	Modified bool   `json:"modified"`
}

// A Module is one that is linked into the executable.
type Module struct {
	Path    string `json:"path"`
	Version string `json:"version"`
	Sum     string `json:"sum,omitempty"` // as in go.sum
}

// Read returns what this executable is.
func Read() *Info {
	build, _ := debug.ReadBuildInfo()
	return From(build)
}

// From returns what an executable with this build information is. It may be nil.
func From(build *debug.BuildInfo) *Info {
	ours := find(build)
	info := &Info{
		Schema: JSONVersion, Version: ours.Version, OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version(),
		WorksWith: release.List(), Module: Path, Sum: ours.Sum, Formats: formats, Modules: []Module{}, build: build,
	}
	if build == nil {
		return info
	}
	if build.Main.Path == Path { // else the settings are of another repository, whose tool this is
		info.Source = sourceOf(build)
	}
	for _, m := range build.Deps {
		if m = replaced(m); m.Path != Path {
			info.Modules = append(info.Modules, Module{m.Path, m.Version, m.Sum})
		}
	}
	return info
}

// find returns our module. As a tool of another module it is a dependency. What was built from files that are under no
// version control is "(devel)".
func find(build *debug.BuildInfo) debug.Module {
	if build == nil {
		return debug.Module{Version: "(unknown)"}
	}
	for _, m := range append([]*debug.Module{&build.Main}, build.Deps...) {
		if m.Path == Path && replaced(m).Version != "" {
			return *replaced(m)
		}
	}
	return debug.Module{Version: "(devel)"}
}

// replaced returns the module that stands for m in the build.
func replaced(m *debug.Module) *debug.Module {
	if m.Replace != nil {
		return m.Replace
	}
	return m
}

// sourceOf returns the commit that the go command has found, nil if there is none.
func sourceOf(build *debug.BuildInfo) *Source {
	settings := make(map[string]string)
	for _, s := range build.Settings {
		settings[s.Key] = s.Value
	}
	if settings["vcs.revision"] == "" {
		return nil
	}
	return &Source{settings["vcs"], settings["vcs.revision"], settings["vcs.time"], settings["vcs.modified"] == "true"}
}

// Text returns two lines for people.
func (i *Info) Text() string {
	return fmt.Sprintf("goprofinstr %s %s/%s, built with %s\nworks with %s\n", i.Version, i.OS, i.Arch, i.Go, release.Names())
}

// Detail returns Text, what `go version -m` prints of the executable, and the formats.
func (i *Info) Detail() string {
	var b strings.Builder
	b.WriteString(i.Text())
	if i.build != nil {
		for line := range strings.Lines(i.build.String()) {
			b.WriteString("\t" + line)
		}
	}
	for _, f := range i.Formats {
		fmt.Fprintf(&b, "\tformat\t%s\t%s\n", f.Name, f.versions())
	}
	return b.String()
}
