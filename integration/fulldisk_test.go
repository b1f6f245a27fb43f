//go:build linux

package integration

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// diskModes are the ways to count that write to the run file in ways of their own.
var diskModes = [][]string{
	{"-mode", "exact"},
	{"-mode", "exact", "-atomic"},
	{"-mode", "sampled"},
	{"-mode", "stratified"},
	{"-mode", "stratified", "-count-up-to", "0"},
}

// diskSizes is how many sizes of disks there are for each of diskModes, from two pages to what the run file takes.
const diskSizes = 40

// TestFullDisk runs a program on file systems that are too small for its run file. It does and prints what it does plainly, and
// there is one line more on stderr.
func TestFullDisk(t *testing.T) {
	dir := copyProgram(t, "packages")
	run(t, dir, "go", "build", "-o", "plain", ".")
	want := runLimited(t, dir, filepath.Join(dir, "plain"), "", 0)
	for i, mode := range diskModes {
		t.Run(strings.Join(mode, " "), func(t *testing.T) {
			program := filepath.Join(dir, fmt.Sprint("program", i))
			run(t, dir, goprofinstr, append(append([]string{"wrap"}, mode...), "go", "build", "-o", program, ".")...)
			checkFullDisks(t, dir, program, want)
		})
	}
}

// TestFullDiskContexts samples a program where there is room for all but calling contexts. The user is told, and it is not tried
// again: all attempts would leave gaps in the run file.
func TestFullDiskContexts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m\n\ngo 1.24\n", "main.go": "package main\n\nimport \"os\"\n\nfunc main() { os.Exit(3) }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	program, whole := filepath.Join(dir, "program"), filepath.Join(dir, "whole")
	run(t, dir, goprofinstr, "wrap", "-mode", "sampled", "go", "build", "-o", program, ".")
	want := runLimited(t, dir, program, whole, 0)
	const most = pcct.ChunkWords * 8 / 1024
	got := onDisk(t, dir, program, diskUse(t, whole)/1024-most+4)
	if !strings.HasPrefix(got.stderr, "goprofinstr: ") || got.exit != want.exit {
		t.Errorf("without room for contexts %+v", got)
	}
}

// checkFullDisks runs a program on disks of all sizes.
func checkFullDisks(t *testing.T, dir, program string, want ended) {
	whole := filepath.Join(dir, "whole")
	if got := runLimited(t, dir, program, whole, 0); got != want {
		t.Fatalf("with room enough %+v, plainly %+v", got, want)
	}
	defer os.RemoveAll(whole)
	const least = 8
	most := diskUse(t, whole)/1024 + least
	told := 0
	for i := range int64(diskSizes) {
		size := least + (most-least)*i/(diskSizes-1)
		got := onDisk(t, dir, program, size)
		lines := strings.Count(got.stderr, "\n")
		if lines > 1 || lines == 1 && !strings.HasPrefix(got.stderr, "goprofinstr: ") {
			t.Errorf("%d KB: stderr %.300q", size, got.stderr)
		}
		told += lines
		if got.stderr = ""; got != want {
			t.Errorf("%d KB: %+v, want %+v", size, got, want)
		}
	}
	if told == 0 {
		t.Error("no disk was too small")
	}
	t.Logf("%d sizes from %d to %d KB; at %d the user was told", diskSizes, least, most, told)
}

// diskUse returns how many bytes the files in a folder take.
func diskUse(t *testing.T, dir string) (bytes int64) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("files %v: %v", files, err)
	}
	for _, name := range files {
		var info syscall.Stat_t
		if err := syscall.Stat(name, &info); err != nil {
			t.Fatal(err)
		}
		bytes += info.Blocks * 512
	}
	return bytes
}

// ended is what is seen of a program that has ended.
type ended struct {
	stdout, stderr string
	exit           int // -1 if it was killed
}

// onDisk runs a program with a disk of so many kilobytes for its data. Where nothing may be mounted its files have that limit.
func onDisk(t *testing.T, dir, program string, size int64) ended {
	t.Helper()
	disk, err := os.MkdirTemp(dir, "disk")
	if err != nil {
		t.Fatal(err)
	}
	err = syscall.Mount("tmpfs", disk, "tmpfs", 0, fmt.Sprintf("size=%dk", size))
	if errors.Is(err, syscall.EPERM) {
		return runLimited(t, dir, program, disk, size)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Unmount(disk, 0)
	return runLimited(t, dir, program, disk, 0)
}

// runLimited runs a program with a folder for its data, in which files may have so many kilobytes; 0 is no limit.
func runLimited(t *testing.T, dir, program, data string, size int64) ended {
	t.Helper()
	cmd := exec.Command(program)
	if size > 0 {
		cmd = exec.Command("sh", "-c", fmt.Sprintf("ulimit -f %d; exec %q", size*2, program)) // blocks of 512 bytes
	}
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), profiledir.Var+"="+data, "GOMAXPROCS=4")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if exit := (*exec.ExitError)(nil); !errors.As(cmd.Run(), &exit) {
		t.Fatalf("%s did not fail", program)
	}
	return ended{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}
