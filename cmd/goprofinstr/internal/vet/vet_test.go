package vet

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/results"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
)

// TestAnalyzers has values of -vet that go test takes and refuses.
func TestAnalyzers(t *testing.T) {
	known := []string{"bool", "printf"}
	for _, test := range []struct {
		value   string
		flags   string
		off, ok bool
	}{
		{value: "", ok: true},
		{value: "all", ok: true},
		{value: "off", off: true, ok: true},
		{value: "printf", flags: "-printf", ok: true},
		{value: "printf,bool", flags: "-printf -bool", ok: true},
		{value: "bool,off", off: true, ok: true}, // so it is
		{value: "off,bool", flags: "-bool", off: true, ok: true},
		{value: "off,bool,printf"},
		{value: "all,bool,printf"},
		{value: "json"},
		{value: "printf,"},
		{value: "printf.funcs=x"},
	} {
		flags, off, ok := analyzers(test.value, known)
		if !ok {
			flags, off = nil, false
		}
		if ok != test.ok || off != test.off || ok && !slices.Equal(flags, strings.Fields(test.flags)) {
			t.Errorf("-vet=%s: %q, off %t, ok %t", test.value, flags, off, ok)
		}
	}
}

// TestFilter has the output of two builds that failed, in pieces.
func TestFilter(t *testing.T) {
	s := &Said{
		stdout: []byte(`{"ImportPath":"m/b [m/b.test]","Action":"build-fail"}` + "\n" +
			`{"Action":"start","Package":"m/b"}` + "\n" + `{"Action":"fail","Package":"m/b","FailedBuild":"m/b [m/b.test]"}` + "\n"),
		stderr:      []byte("# m/b\nvetted\n"),
		json:        true,
		builds:      map[string][]string{"m/b": {"m/b_test [m/b.test]"}},
		failedBuild: make(map[string]string),
	}
	var out, errs bytes.Buffer
	stdout, stderr := s.Filter(&out, &errs)
	for _, piece := range []string{"# m/b_te", "st [m/b.test]\nx.go:1: no\n", "\tmore\n# m/c\ny.g", "o:1: no\n"} {
		stderr.Write([]byte(piece))
	}
	if got, want := errs.String(), "# m/b\nvetted\n# m/c\ny.go:1: no\n"; got != want {
		t.Errorf("standard error %q, want %q", got, want)
	}
	stdout.Write([]byte(`{"ImportPath":"m/b_test [m/b.test]","Action":"build-fail"}` + "\n" +
		`{"Action":"fail","Package":"m/b","FailedBuild":"m/b_test [m/b.test]"}` + "\nok\n"))
	want := `{"ImportPath":"m/b [m/b.test]","Action":"build-fail"}` + "\n" +
		`{"Action":"fail","Package":"m/b","FailedBuild":"m/b [m/b.test]"}` + "\nok\n"
	if out.String() != want {
		t.Errorf("standard output\n%s, want\n%s", out.String(), want)
	}
}

// TestSkip skips a check, which starts nothing then, and stops what has not started.
func TestSkip(t *testing.T) {
	v := new(Check)
	v.Skip()
	v.Start(nil, nil, "")
	v.Stop()
	if v.ended != nil {
		t.Error("go vet was started")
	}
}

// TestStop stops go vet while it runs. Nobody is told that it has found nothing.
func TestStop(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a script runs in the place of the go command")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	tc := &toolchain.Toolchain{Go: filepath.Join(t.TempDir(), "go")}
	if err := os.WriteFile(tc.Go, []byte("#!/bin/sh\ntrap 'exit 1' INT\nwhile :; do sleep 0.01; done\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	v := &Check{cmd: new(gocmd.Command), tc: tc, explicit: true, found: make(chan []string, 1)}
	v.Start(new(load.Build), results.Open(tc), "")
	v.Stop()
	if len(v.found) > 0 {
		t.Errorf("it has found %q", <-v.found)
	}
}
