package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/goprofinstr/goprofinstr/internal/longtest"
)

// snapshot is the command `snapshot DIR` of scripts. It keeps a copy of a profile directory for kept.
func snapshot(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: snapshot DIR")
	}
	copied := ts.MkAbs(args[0] + ".snapshot")
	ts.Check(os.RemoveAll(copied))
	ts.Check(os.CopyFS(copied, os.DirFS(ts.MkAbs(args[0]))))
}

// kept is the command `kept DIR` of scripts. It fails if a profile directory is not, byte for byte, what it was
// when snapshot was last called; `! kept DIR` if it is. What a wrap that was killed has left is no part of the
// profile.
func kept(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: kept DIR")
	}
	dir := ts.MkAbs(args[0])
	was, is := files(ts, dir+".snapshot"), files(ts, dir)
	diff := cmp.Diff(was, is)
	if diff != "" && !neg {
		ts.Fatalf("%s (-was +is):\n%s", args[0], diff)
	}
	if diff == "" && neg {
		ts.Fatalf("%s is what it was", args[0])
	}
}

// files returns the contents of the files of a profile, by name.
func files(ts *testscript.TestScript, dir string) map[string]string {
	all := make(map[string]string)
	ts.Check(fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name == "running" {
			return fs.SkipDir
		}
		if d.IsDir() || name == "goprofinstr.lock" {
			return nil
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		all[name] = string(data)
		return err
	}))
	if len(all) == 0 {
		ts.Fatalf("%s has no profile", dir)
	}
	return all
}

// await is the command `await FILE...` of scripts. It waits for processes in the background to make all files.
func await(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(time.Millisecond) {
			if _, err := os.Stat(ts.MkAbs(name)); err == nil {
				break
			}
			if time.Now().After(deadline) {
				ts.Fatalf("nobody has made %s", name)
			}
		}
	}
}

// condition is what scripts ask for: [mounts], file systems can be mounted in a name space of their own; [signals],
// INT and HUP end programs: shells have those in the background ignore the one, and nohup the other; [long], flag -long is set.
func condition(name string) (bool, error) {
	switch name {
	case "long":
		return longtest.Wanted(), nil
	case "mounts":
		return exec.Command("unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt").Run() == nil, nil
	case "signals":
		return !signal.Ignored(os.Interrupt) && !signal.Ignored(syscall.SIGHUP), nil
	}
	return false, fmt.Errorf("unknown condition %s", name)
}
