// Overlaycheck vets everything that is linked into rewritten programs, as it is linked: laid over GOROOT, with the text that
// package target adds to packages runtime and testing.
//
// No other tool sees it. Files that are built with the hooks of package runtime, and the hooks, are part of no package of
// this module.
//
//	go run ./rewrite/target/overlaycheck [-staticcheck file] [GOOS/GOARCH...]
//
// Without systems it takes the one that it runs on.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/format"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/target"
	"github.com/goprofinstr/goprofinstr/rt"
)

func main() {
	staticcheck := flag.String("staticcheck", "", "`file` of the command staticcheck, to be run, too")
	flag.Parse()
	systems := flag.Args()
	if len(systems) == 0 {
		systems = []string{runtime.GOOS + "/" + runtime.GOARCH}
	}
	failed := false
	for _, system := range systems {
		for _, perTest := range []bool{false, true} { // per-test turns shards off
			if err := check(system, perTest, *staticcheck); err != nil {
				fmt.Fprintf(os.Stderr, "overlaycheck: %s: %v\n", system, err)
				failed = true
			}
		}
	}
	if failed {
		os.Exit(1)
	}
}

// check checks what programs for a system get.
func check(system string, perTest bool, staticcheck string) error {
	goos, goarch, ok := strings.Cut(system, "/")
	if !ok {
		return fmt.Errorf("want GOOS/GOARCH")
	}
	dir, err := os.MkdirTemp("", "overlaycheck-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	goroot := strings.TrimSpace(string(out))
	tc := target.Toolchain{GOROOT: goroot, GOOS: goos, GOARCH: goarch}
	overlay, err := write(dir, tc, perTest)
	if err != nil {
		return err
	}
	root := filepath.Join(dir, "goroot")
	if err := lay(overlay, goroot, root); err != nil {
		return err
	}
	packages, err := packages(goos, goarch)
	if err != nil {
		return err
	}
	run := func(name string, args ...string) error {
		cmd := exec.Command(name, args...)
		cmd.Dir = root // vet has package runtime of the folder's module otherwise
		cmd.Env = append(os.Environ(), "GOROOT="+root, "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0", "GOTOOLCHAIN=local",
			"GOFLAGS=", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return nil
	}
	command := filepath.Join(goroot, "bin", "go")
	if err := run(command, append([]string{"vet"}, packages...)...); err != nil {
		return err
	}
	// That package runtime keeps addresses in words is no news.
	if err := run(command, "vet", "-unsafeptr=false", "runtime", "testing"); err != nil {
		return err
	}
	if staticcheck == "" {
		return nil
	}
	// What is not used in one kind of program is in others.
	return run(staticcheck, append([]string{"-checks=inherit,-U1000"}, packages...)...)
}

// write writes an overlay with all that programs get, and returns its name. Each hook has to have its place.
func write(dir string, tc target.Toolchain, perTest bool) (overlay string, err error) {
	hooks := target.RuntimeHooks(tc, perTest, os.ReadFile)
	if len(hooks.Missing) > 0 {
		return "", fmt.Errorf("not all hooks have a place in %s: %v", tc.GOROOT, hooks.Missing)
	}
	if tc.GOOS == "linux" && (tc.GOARCH == "amd64" || tc.GOARCH == "arm64") {
		if missing := hooks.AddCopies(tc, os.ReadFile); len(missing) > 0 {
			return "", fmt.Errorf("not all hooks for copies have a place in %s: %v", tc.GOROOT, missing)
		}
	}
	if err := formatted(hooks.Files); err != nil {
		return "", err
	}
	return target.Write(dir, tc, target.Sources{Hooks: hooks})
}

// lay makes a copy of GOROOT with an overlay laid over it, of symbolic links where nothing changes: vet changes into the
// folders of packages, which have to be there.
func lay(overlay, goroot, root string) error {
	data, err := os.ReadFile(overlay)
	if err != nil {
		return err
	}
	var o target.Overlay
	if err := json.Unmarshal(data, &o); err != nil {
		return err
	}
	if err := os.MkdirAll(root, 0o777); err != nil {
		return err
	}
	for original, replacement := range o.Replace {
		name, err := filepath.Rel(goroot, original)
		if err != nil {
			return err
		}
		if err := own(goroot, root, filepath.Dir(name)); err != nil {
			return err
		}
		file := filepath.Join(root, name)
		if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
			return err
		}
		if err := os.Rename(replacement, file); err != nil {
			return err
		}
	}
	return nil
}

// own makes a folder of root, and those above it, ones of links to what GOROOT has in it. Those above come first: the folder
// of a link is GOROOT's own.
func own(goroot, root, name string) error {
	dir := filepath.Join(root, name)
	if name != "." {
		if err := own(goroot, root, filepath.Dir(name)); err != nil {
			return err
		}
		if info, err := os.Lstat(dir); err == nil && info.IsDir() {
			return nil
		}
		os.Remove(dir) // a link so far
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	entries, _ := os.ReadDir(filepath.Join(goroot, name)) // none of folders that the overlay adds
	for _, e := range entries {
		if err := os.Symlink(filepath.Join(goroot, name, e.Name()), filepath.Join(dir, e.Name())); err != nil && !os.IsExist(err) {
			return err
		}
	}
	return nil
}

// formatted reports whether the files that are only in the overlay are formatted.
func formatted(hooks map[string][]byte) error {
	for name, text := range hooks {
		if !strings.HasPrefix(filepath.Base(name), "goprofinstr") || filepath.Ext(name) != ".go" {
			continue
		}
		want, err := format.Source(text)
		if err != nil {
			return err
		}
		if !bytes.Equal(text, want) {
			return fmt.Errorf("%s: not formatted", filepath.Base(name))
		}
	}
	return nil
}

// packages returns the packages of the runtime.
func packages(goos, goarch string) ([]string, error) {
	files, err := rt.Source(goos, goarch)
	if err != nil {
		return nil, err
	}
	dirs := make(map[string]bool)
	for name := range files {
		if dir := path.Dir(name); dir != "runtime" { // where system calls are, on macOS
			dirs[dir] = true
		}
	}
	return slices.Sorted(maps.Keys(dirs)), nil
}
