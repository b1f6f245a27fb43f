//go:build linux

package integration

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// TestRevoked truncates the run file of a program that runs, so that its counters are no part of a file any more. File systems
// that copy on write do so on a full disk: an access to a page that is shared with a snapshot is SIGBUS. The program goes on,
// prints what it prints plainly, and says a line.
func TestRevoked(t *testing.T) {
	dir := copySparse(t, "killed")
	run(t, dir, "go", "build", "-o", "plain", ".")
	want, exit := revoke(t, filepath.Join(dir, "plain"), "")
	if exit != 3 || want.errs != "" {
		t.Fatalf("plainly %+v, exit code %d", want, exit)
	}
	for _, mode := range [][]string{{"-mode", "exact"}, {"-mode", "exact", "-atomic"}, {"-mode", "sampled"}, {"-mode", "stratified"}} {
		t.Run(strings.Join(mode, " "), func(t *testing.T) {
			program := filepath.Join(t.TempDir(), "program")
			run(t, dir, goprofinstr, append(append([]string{"wrap"}, mode...), "go", "build", "-o", program, ".")...)
			got, exit := revoke(t, program, t.TempDir())
			line := "the file system has taken space back: path profile incomplete\n"
			if exit != 3 || got.out != want.out || strings.Count(got.errs, "\n") != 1 || !strings.HasSuffix(got.errs, line) {
				t.Errorf("exit code %d, %+v, plainly %+v", exit, got, want)
			}
		})
	}
}

// printed is what a program has printed.
type printed struct{ out, errs string }

// revoke runs a program and truncates the files in its folder for data when it has begun.
func revoke(t *testing.T, program, data string) (printed, int) {
	t.Helper()
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), profiledir.Var+"="+data)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(out)
	begun, err := r.ReadString('\n')
	if err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	if data != "" {
		files := profiledir.Glob(data)
		if len(files) != 1 {
			t.Fatalf("run files %v", files)
		}
		if err := os.Truncate(files[0], 0); err != nil {
			t.Fatal(err)
		}
	}
	in.Close()
	rest, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if exit := (*exec.ExitError)(nil); !errors.As(cmd.Wait(), &exit) {
		t.Fatal("the program did not fail")
	}
	return printed{begun + string(rest), errs.String()}, cmd.ProcessState.ExitCode()
}
