package integration

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

var canary = flag.Bool("canary", false, "build and run a program for each anchor that is missing: a quarter of an hour")

// TestUnknownRuntime takes away one after the other what hooks look for in the standard library, as a release to come may.
// Doctor names it. With -canary a program is built and run besides, whose counts are to be right all the same, and where
// nothing is done by halves.
func TestUnknownRuntime(t *testing.T) {
	dir := copyProgram(t, "unknown")
	goroot, _ := run(t, dir, "go", "env", "GOROOT")
	tc := target.Toolchain{GOROOT: strings.TrimSpace(goroot), GOOS: runtime.GOOS, GOARCH: runtime.GOARCH}
	anchors := target.Anchors(tc)
	if len(anchors) < 10 {
		t.Fatalf("%d anchors", len(anchors))
	}
	var want any
	if *canary {
		want = collatz(t, dir, "wrap", "-mode", "exact", "go", "run", ".")
	}
	for i, a := range anchors {
		t.Run(fmt.Sprintf("%02d %s", i, a.Feature), func(t *testing.T) {
			overlay := takeAway(t, tc, a)
			out, err := exec.Command(goprofinstr, "doctor", "-quick", "-overlay", overlay).Output()
			missing := without(anchors, a)
			if (err != nil) != missing["-mode sampled"] {
				t.Errorf("%v: without %v", err, missing)
			}
			text := strings.Join(strings.Fields(a.Text), " ")
			line := fmt.Sprintf("%s: %q is not in it, so there are none for %s: %s\n", a.File, text, a.Feature, a.Feature.Without())
			if !strings.Contains(string(out), line) {
				t.Errorf("doctor does not say\n%s%s", line, out)
			}
			if *canary {
				runWithout(t, dir, overlay, missing, want)
			}
		})
	}
}

// TestRuntimeChanged renames a function of package runtime that the hooks for abandoned activations call: all anchors are
// there, but hooks do not compile.
func TestRuntimeChanged(t *testing.T) {
	dir := copyProgram(t, "unknown")
	if !*canary {
		t.Skip("compiles the standard library; -canary")
	}
	goroot, _ := run(t, dir, "go", "env", "GOROOT")
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(goroot), "src", "runtime", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	changed := make(map[string][]byte)
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(src, []byte("forEachGRace")) {
			changed[name] = bytes.ReplaceAll(src, []byte("forEachGRace"), []byte("forAllGRace"))
		}
	}
	overlay := "-overlay=" + lay(t, changed)
	want := collatz(t, dir, "wrap", "-mode", "exact", "go", "run", ".")
	if diff := cmp.Diff(want, collatz(t, dir, "wrap", "-mode", "exact", "go", "run", overlay, ".")); diff != "" {
		t.Errorf("counts (-with hooks +without):\n%s", diff)
	}
	_, said := run(t, dir, goprofinstr, "wrap", "-mode", "exact", "-o", "out", "go", "run", overlay, ".")
	if !strings.Contains(said, "has no place for some hooks: "+target.Abandoned.Without()+"; goprofinstr doctor says which\n") {
		t.Errorf("wrap does not say what is lost: %s", said)
	}
	found, _ := run(t, dir, goprofinstr, "doctor", overlay)
	if !strings.Contains(found, "runtime/goprofinstr.go: undefined: forEachGRace, so there are none for abandoned activations: ") {
		t.Errorf("doctor does not say what is wrong:\n%s", found)
	}
}

// without returns the features that there are not without an anchor, "-mode sampled" among them: some share an anchor, and
// some need others.
func without(anchors []target.Anchor, gone target.Anchor) map[target.Feature]bool {
	missing := make(map[target.Feature]bool)
	for _, a := range anchors {
		if a.File == gone.File && a.Text == gone.Text {
			missing[a.Feature] = true
		}
	}
	missing["-mode sampled"] = missing[target.Timers] || missing[target.Ticker]
	missing[target.Mappings] = missing[target.Mappings] || missing[target.Timers]
	missing[target.Tests] = missing[target.Tests] || missing[target.Abandoned]
	return missing
}

// runWithout builds programs without a feature, in all ways that it could have a part in.
func runWithout(t *testing.T, dir, overlay string, missing map[target.Feature]bool, want any) {
	overlay = "-overlay=" + overlay
	for _, line := range []string{"wrap -mode exact go run", "wrap -mode exact -atomic go run", "wrap go test"} {
		args := append(strings.Fields(line), overlay, ".")
		if diff := cmp.Diff(want, collatz(t, dir, args...)); diff != "" {
			t.Errorf("%s (-with hooks +without):\n%s", line, diff)
		}
	}
	_, said := run(t, dir, goprofinstr, "wrap", "-o", "out", "go", "run", overlay, ".")
	for phrase, wanted := range map[string]bool{
		target.Abandoned.Without():                  missing[target.Abandoned] && missing["-mode sampled"],
		"goprofinstr: warning: the runtime of go1.": missing["-mode sampled"],
		"paths are counted, as with -mode exact":    missing["-mode sampled"],
		"goprofinstr: portable probes: ":            missing[target.Mappings] && !missing["-mode sampled"],
	} {
		if strings.Contains(said, phrase) != wanted {
			t.Errorf("%q is said: %t\n%s", phrase, !wanted, said)
		}
	}
	cmd := exec.Command(goprofinstr, "wrap", "-o", "out", "-per-test", "go", "test", overlay, ".")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if refused := strings.Contains(string(out), "-per-test does not work"); refused != missing[target.Tests] || refused != (err != nil) {
		t.Errorf("-per-test: %v: %s", err, out)
	}
}

// takeAway returns an overlay with which an anchor is not there: a comment stands in it, and the file does the same.
func takeAway(t *testing.T, tc target.Toolchain, a target.Anchor) (overlay string) {
	t.Helper()
	name := filepath.Join(tc.GOROOT, "src", filepath.FromSlash(a.File))
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(src), a.Text, split(a.Text), 1)
	return lay(t, map[string][]byte{name: []byte(changed)})
}

// lay returns the name of an overlay with files of one folder.
func lay(t *testing.T, files map[string][]byte) (overlay string) {
	t.Helper()
	dir := t.TempDir()
	var o target.Overlay
	o.Replace = make(map[string]string)
	for name, data := range files {
		o.Replace[name] = filepath.Join(dir, filepath.Base(name))
		if err := os.WriteFile(o.Replace[name], data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	data, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	overlay = filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return overlay
}

// split returns a text with a comment before its last token, or in that if it is one.
func split(text string) string {
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), nil, scanner.ScanComments)
	last, comment := 0, "/**/"
	for {
		pos, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			return text[:last] + comment + text[last:]
		case tok == token.COMMENT:
			last, comment = file.Offset(pos)+len("//"), "/"
		case tok != token.SEMICOLON || lit != "\n":
			last, comment = file.Offset(pos), "/**/"
		}
	}
}

// collatz runs goprofinstr and returns what was counted of the function collatz.
func collatz(t *testing.T, dir string, args ...string) any {
	t.Helper()
	run(t, dir, goprofinstr, append([]string{args[0], "-o", "out"}, args[1:]...)...)
	out, _ := run(t, dir, goprofinstr, "export", "-format", "json", "out")
	var profile struct {
		Functions []struct {
			Name  string
			Paths []map[string]any
		}
	}
	if err := json.Unmarshal([]byte(out), &profile); err != nil {
		t.Fatal(err)
	}
	for _, f := range profile.Functions {
		if strings.HasSuffix(f.Name, ".collatz") {
			return f.Paths
		}
	}
	t.Fatalf("nothing of collatz: %s", out)
	return nil
}
