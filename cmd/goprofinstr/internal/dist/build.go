package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"
)

// A system is one that there is an archive for.
type system struct{ os, arch string }

func (s system) String() string { return s.os + "/" + s.arch }

// An executable is goprofinstr for a system.
type executable struct {
	system
	version string
	commit  time.Time
	data    []byte
	info    *debug.BuildInfo
}

// settings are what all executables have to have been built with.
var settings = map[string]string{"CGO_ENABLED": "0", "-trimpath": "true", "GOEXPERIMENT": ""}

// baseline are the processors that the executables are for, by the setting that says so.
var baseline = map[string]string{"GOAMD64": "v1", "GOARM64": "v8.0"}

// build builds the executable for a system.
func (s system) build(clone, work string) (*executable, error) {
	name := filepath.Join(work, s.os+"_"+s.arch)
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", name, "./cmd/goprofinstr")
	cmd.Dir = clone
	cmd.Env = append(os.Environ(), "GOOS="+s.os, "GOARCH="+s.arch, "CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=-mod=readonly", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %v\n%s", s, err, out)
	}
	info, err := buildinfo.ReadFile(name)
	if err != nil {
		return nil, err
	}
	e := &executable{system: s, version: info.Main.Version, info: info}
	if err := e.check(); err != nil {
		return nil, fmt.Errorf("%s: %v", s, err)
	}
	e.data, err = os.ReadFile(name)
	return e, err
}

// check holds what the go command has noted against what was wanted: settings of the user's could have changed it.
func (e *executable) check() (err error) {
	found := make(map[string]string)
	for _, s := range e.info.Settings {
		found[s.Key] = s.Value
	}
	for key, want := range settings {
		if found[key] != want {
			return fmt.Errorf("it was built with %s=%s, want %q", key, found[key], want)
		}
	}
	for key, want := range baseline {
		if got, ok := found[key]; ok && got != want {
			return fmt.Errorf("it was built with %s=%s, want %s", key, got, want)
		}
	}
	if found["vcs.modified"] == "true" && !strings.HasSuffix(e.version, dirty) {
		e.version += dirty
	}
	if found["vcs.time"] != "" {
		e.commit, err = date(found["vcs.time"])
	}
	return err
}

// dirty ends the version of an executable from files that are not those of a commit.
const dirty = "+dirty"

// name returns the name of the archive, without an extension.
func (e *executable) name() string {
	return fmt.Sprintf("goprofinstr_%s_%s_%s", e.version, e.os, e.arch)
}

// sum returns the SHA-256 of the executable.
func (e *executable) sum() [sha256.Size]byte { return sha256.Sum256(e.data) }
