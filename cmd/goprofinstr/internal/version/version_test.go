package version

import (
	"encoding/json"
	"runtime/debug"
	"strings"
	"testing"
)

// TestVersion has our module as the main one, as a tool of another module, and replaced.
func TestVersion(t *testing.T) {
	ours := debug.Module{Path: Path, Version: "v0.3.0"}
	for want, build := range map[string]*debug.BuildInfo{
		"(unknown)": nil,
		"(devel)":   {Main: debug.Module{Path: Path}},
		"v0.3.0":    {Main: ours},
		"v0.3.1":    {Main: debug.Module{Path: "a", Version: "v1.0.0"}, Deps: []*debug.Module{{Path: Path, Version: "v0.3.1"}}},
		"v0.3.2":    {Deps: []*debug.Module{{Path: Path, Version: "v0.3.1", Replace: &debug.Module{Path: "b", Version: "v0.3.2"}}}},
	} {
		if got := From(build).Version; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// buildOf returns the build information of an executable from a working copy of a module.
func buildOf(module string) *debug.BuildInfo {
	return &debug.BuildInfo{
		Path: Path + "/cmd/goprofinstr",
		Main: debug.Module{Path: module, Version: "v0.3.0+dirty"},
		Deps: []*debug.Module{
			{Path: "example.com/a", Version: "v1.2.0", Sum: "h1:aaa="},
			{Path: "example.com/b", Version: "v1.0.0", Replace: &debug.Module{Path: "example.com/c", Version: "v1.1.0", Sum: "h1:ccc="}},
		},
		Settings: []debug.BuildSetting{
			{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"},
			{Key: "vcs.modified", Value: "true"},
		},
	}
}

// TestSource: the commit is ours only if the main module is.
func TestSource(t *testing.T) {
	want := Source{"git", "abc", "2026-01-02T03:04:05Z", true}
	if got := From(buildOf(Path)).Source; got == nil || *got != want {
		t.Errorf("%v, want %v", got, want)
	}
	if got := From(buildOf("example.com/user")).Source; got != nil {
		t.Errorf("%v is a commit of the user's", got)
	}
	without := buildOf(Path)
	without.Settings = nil
	if got := From(without).Source; got != nil {
		t.Errorf("%v, and nothing is known", got)
	}
}

func TestModules(t *testing.T) {
	got := From(buildOf(Path)).Modules
	if len(got) != 2 || got[0] != (Module{"example.com/a", "v1.2.0", "h1:aaa="}) || got[1] != (Module{"example.com/c", "v1.1.0", "h1:ccc="}) {
		t.Errorf("modules are %v", got)
	}
}

func TestDetail(t *testing.T) {
	text := From(buildOf(Path)).Detail()
	for _, want := range []string{
		"goprofinstr v0.3.0+dirty ",
		"\nworks with go1.26 or ",
		"\n\tdep\texample.com/a\tv1.2.0\th1:aaa=\n",
		"\n\tbuild\tvcs.revision=abc\n",
		"\n\tbuild\tvcs.modified=true\n",
		"\n\tformat\trun file (run.*.gpi)\tversion 2, reads 1 to 2\n",
		"\n\tformat\tJSON of diff\tversion 1\n",
		"\n\tformat\tJSON of select\tversion 1\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestFormats looks for versions that nobody has filled in, and names that are there twice.
func TestFormats(t *testing.T) {
	seen := make(map[string]bool)
	for _, f := range formats {
		if f.Writes < 1 || f.Reads > f.Writes || f.Reads < 0 || seen[f.Name] {
			t.Errorf("%+v", f)
		}
		seen[f.Name] = true
	}
}

// TestJSON: lists are lists where they are empty.
func TestJSON(t *testing.T) {
	data, err := json.Marshal(From(nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"schema":1,"version":"(unknown)"`, `"modules":[]`, `"works_with":["go1.26"`, `"formats":[{"name":`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("no %s in %s", want, data)
		}
	}
	if strings.Contains(string(data), "source") {
		t.Errorf("a source that is not known: %s", data)
	}
}
