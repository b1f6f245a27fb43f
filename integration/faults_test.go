package integration

import (
	"bytes"
	"errors"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// TestSampledFaults makes faults in a program whose path ends are trapped by faults, too: none of the program's may be taken
// for one of those.
func TestSampledFaults(t *testing.T) {
	dir := copyProgram(t, "faults")
	run(t, dir, "go", "build", "-o", "plain", ".")
	for _, backend := range []string{"auto", "portable"} {
		run(t, dir, goprofinstr, "wrap", "-mode", "sampled", "-backend", backend, "-cpu-budget", "100", "-period", "4ms", "go", "build", "-o", "sampled", ".")
		sampledFaults(t, dir, filepath.Join(dir, "of."+backend+"."))
	}
}

func sampledFaults(t *testing.T, dir, data string) {
	t.Helper()
	for _, program := range []string{"panic", "recover", "unmapped", "fatal", "notify"} {
		data := data + program
		t.Setenv(profiledir.Var, data)
		want, wantCode := faults(t, filepath.Join(dir, "plain"), program)
		got, code := faults(t, filepath.Join(dir, "sampled"), program)
		if got != want || code != wantCode {
			t.Errorf("%s: exit code %d, want %d; output\n%s\nwant\n%s", program, code, wantCode, got, want)
		}
		if n := load(t, data).Runs[0].Sampling.Contexts; n < 64 {
			t.Errorf("%s: only %d contexts", program, n)
		}
	}
}

// varies is what of a fault's message is different in each run: addresses.
var varies = regexp.MustCompile(`0x[0-9a-f]+|goroutine \d+ gp=.*`)

func faults(t *testing.T, program, arg string) (output string, code int) {
	t.Helper()
	cmd := exec.Command(program, arg)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(out.String(), "runtime.gopark(") // the runtime's goroutines may be anywhere
	return varies.ReplaceAllString(text, ""), code
}
