//go:build linux && (amd64 || arm64 || riscv64)

package strata_test

import (
	"testing"

	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/rt/internal/rttest"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/strata"
)

// startFeeding begins a run whose events are fed to compressors, and returns its directory.
func startFeeding(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	t.Cleanup(runfile.StartIn(dir))
	t.Cleanup(strata.ForgetFeeding)
	strata.UseCompressor(&strata.Compressor{Spec: "P4", Kind: 'P', Rate: 4})
	return dir
}

// fed is a variable so that it is not on the Go heap, as in programs.
var fed rt.Hash

// TestFeedFinished has an event after compressors were finished: the program ends, and there was no want of room.
func TestFeedFinished(t *testing.T) {
	dir := startFeeding(t)
	strata.Feed(&fed, 7)
	strata.FinishFeeding()
	strata.Feed(&fed, 7)
	run := rttest.ReadDir(t, dir)
	if run.Lost != 0 {
		t.Errorf("%d lost", run.Lost)
	}
	if s := run.Stream; !s.HeldKnown || s.Held != 1 {
		t.Errorf("%d held, known: %t; want 1", s.Held, s.HeldKnown)
	}
}

// TestFinishBusy has another thread be in a compressor when the process is about to exit.
func TestFinishBusy(t *testing.T) {
	dir := startFeeding(t)
	go strata.EnterFeeder()()
	strata.FinishFeeding()
	if s := rttest.ReadDir(t, dir).Stream; !s.HeldKnown {
		t.Error("the other thread was not waited for")
	}
}
