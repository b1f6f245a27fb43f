// Goprofinstr runs the goprofinstr of the same version:
//
//	go get -tool github.com/goprofinstr/goprofinstr/tool/goprofinstr@latest
//	go tool goprofinstr wrap go test ./...
//
// The first time it builds github.com/goprofinstr/goprofinstr/cmd/goprofinstr, with what that requires in versions of its
// own choice, and keeps the executable in the user's cache. So go.mod has a line for the tool and one for this module, which
// requires nothing. The go command checks what is downloaded against the checksum database.
package main

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

const (
	module  = "github.com/goprofinstr/goprofinstr"
	command = module + "/cmd/goprofinstr"

	fresh = "new-" // begins the names of folders for builds
)

func main() {
	name, err := find(os.Stderr)
	if err == nil {
		err = run(name, os.Args[1:])
	}
	var failed *exec.ExitError
	if errors.As(err, &failed) && failed.Exited() {
		os.Exit(failed.ExitCode())
	}
	fmt.Fprintf(os.Stderr, "goprofinstr: %v\n", err)
	os.Exit(1)
}

// find returns the name of the executable, and builds it if it is not there.
func find(log io.Writer) (name string, err error) {
	info, _ := debug.ReadBuildInfo()
	version, err := versionOf(info)
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("%v; set HOME or XDG_CACHE_HOME to have a folder for the executable", err)
	}
	folder := filepath.Join(cache, "goprofinstr", "tool")
	// Executables of several releases of Go are beside each other, for goprofinstr has the parser of the one that has built it.
	release, _, _ := strings.Cut(runtime.Version(), " ")
	base := fmt.Sprintf("goprofinstr_%s_%s_%s_%s", version, runtime.GOOS, runtime.GOARCH, release)
	if runtime.GOOS == "windows" {
		base += ".exe"
	}
	name = filepath.Join(folder, base)
	if info, err := buildinfo.ReadFile(name); err == nil && info.Main.Path == module {
		use(name, time.Now())
		return name, nil
	}
	fmt.Fprintf(log, "goprofinstr: building %s, once\n", version)
	if err := build(name, version); err != nil {
		return "", err
	}
	trim(folder, time.Now())
	return name, nil
}

// An executable that is not used for keepFor goes when another one is built. It is the time that the go command keeps what it
// has built. The time of the file is that of its use, give or take usedAfter: a write each time would be too much.
const (
	keepFor   = 5 * 24 * time.Hour
	usedAfter = time.Hour
)

// use notes that an executable is used.
func use(name string, now time.Time) {
	if info, err := os.Stat(name); err == nil && now.Sub(info.ModTime()) > usedAfter {
		os.Chtimes(name, now, now)
	}
}

// trim removes executables that have not been used for long, and folders of builds that were killed.
func trim(folder string, now time.Time) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		ours := strings.HasPrefix(e.Name(), "goprofinstr_") || strings.HasPrefix(e.Name(), fresh)
		if err == nil && ours && now.Sub(info.ModTime()) > keepFor {
			os.RemoveAll(filepath.Join(folder, e.Name()))
		}
	}
}

// versionOf returns the version of goprofinstr that a build of this program is for: that of this module, or the commit that
// it is of.
func versionOf(info *debug.BuildInfo) (string, error) {
	if info == nil {
		return "", errors.New("this executable does not say which version it is; build it with modules")
	}
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if m.Path != module+"/tool" {
			continue
		}
		if m.Replace != nil || !strings.HasPrefix(m.Version, "v") || strings.Contains(m.Version, "+dirty") {
			return "", fmt.Errorf("%s is of no version that others could have; require one, or run %s", m.Path, command)
		}
		if commit := pseudo.FindStringSubmatch(m.Version); commit != nil {
			return commit[1], nil // of which the two modules have versions of different names
		}
		return m.Version, nil
	}
	return "", fmt.Errorf("this executable was not built from %s/tool", module)
}

// pseudo matches versions that stand for a commit, with the beginning of its hash (go.dev/ref/mod#pseudo-versions).
var pseudo = regexp.MustCompile(`[-.]\d{14}-([0-9a-f]{12})$`)

// build builds a version of goprofinstr. The executable comes to be under its name as a whole: another go tool may look at
// the same time.
func build(name, version string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(name), fresh)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	cmd := exec.Command("go", "install", "-trimpath", command+"@"+version)
	cmd.Dir = dir // and not in a module whose go.mod asks for another toolchain
	// What is set for the user's programs is not for this one. Where GOFLAGS is empty, that of go env -w counts.
	cmd.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=-buildvcs=auto", "GOWORK=off", "GO111MODULE=on", "CGO_ENABLED=0",
		"GOEXPERIMENT=,", "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH, "GOAMD64=v1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("cannot build %s@%s: %v\n%s", command, version, err, strings.TrimSpace(string(out)))
	}
	made, err := filepath.Glob(filepath.Join(dir, "goprofinstr*"))
	if err != nil || len(made) != 1 {
		return fmt.Errorf("go install has made %q in %s, want one executable", made, dir)
	}
	if err := os.Rename(made[0], name); err != nil {
		if _, there := buildinfo.ReadFile(name); there != nil { // on Windows another process may have been faster, and run it
			return err
		}
	}
	return nil
}
