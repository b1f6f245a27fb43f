package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/version"
)

// released are the folders of the modules that others require or run. Each has tags of its own: v0.1.0 and tool/v0.1.0, of
// the same commit.
var released = []struct{ path, folder string }{
	{version.Path, "."},
	{version.Path + "/tool", "tool"},
}

// runProxy writes the files of a proxy for the commit of a clone, which is built to find out its version and whether
// anything has been changed.
func runProxy(clone, dir string) error {
	if flag.NArg() > 0 {
		return fmt.Errorf("want no arguments, got %s", strings.Join(flag.Args(), " "))
	}
	work, err := os.MkdirTemp("", "goprofinstr-dist-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	e, err := system{runtime.GOOS, runtime.GOARCH}.build(clone, work)
	if err != nil {
		return err
	}
	if err := checkVersion(clone, e.version); err != nil {
		return err
	}
	return writeProxy(clone, dir, e.version, e.commit)
}

// writeProxy writes what a module proxy has of our modules in a version (go.dev/ref/mod#goproxy-protocol):
// GOPROXY=file://DIR reads it.
func writeProxy(clone, dir, of string, commit time.Time) error {
	for _, m := range released {
		path, err := module.EscapePath(m.path)
		if err != nil {
			return err
		}
		versions := filepath.Join(dir, filepath.FromSlash(path), "@v")
		if err := writeVersion(filepath.Join(clone, m.folder), versions, module.Version{Path: m.path, Version: of}, commit); err != nil {
			return fmt.Errorf("%s: %v", m.path, err)
		}
	}
	return nil
}

// writeVersion writes the files of one version to a folder.
func writeVersion(source, folder string, m module.Version, commit time.Time) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{m.Version, commit})
	if err != nil {
		return err
	}
	gomod, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{"list": []byte(m.Version + "\n"), m.Version + ".info": info, m.Version + ".mod": gomod} {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o666); err != nil {
			return err
		}
	}
	f, err := os.Create(filepath.Join(folder, m.Version+".zip"))
	if err != nil {
		return err
	}
	if err := zip.CreateFromDir(f, m, source); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
