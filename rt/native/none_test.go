//go:build !goprofinstr_std

package native

import (
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/rt/tick"
)

// TestLastTurn has another thread be at it for a millisecond, or longer on a busy machine, when the process is about to exit.
func TestLastTurn(t *testing.T) {
	defer func(tries int) { mostTries = tries }(mostTries)
	mostTries = 1 << 30
	defer func() { tick.Sampling = tick.State{} }()
	if !tick.Sampling.TryLock() {
		t.Fatal("somebody samples")
	}
	time.AfterFunc(time.Millisecond, tick.Sampling.Unlock)
	if !LastTurn() {
		t.Error("the other thread was not waited for")
	}
	if tick.Sampling.TryLock() {
		t.Error("others may sample")
	}
}
