package main

import (
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/examples/internal/pathtest"
)

// TestCallers checks what README.md says: find takes its short cut for average and searches for quote, which makes few of
// its calls and most of its time.
func TestCallers(t *testing.T) {
	run := pathtest.Wrap(t, "-mode", "sampled", "-cpu-budget", "100") // ticks all the time, whatever they cost on a busy machine
	src := pathtest.ReadSource(t, "main.go")
	next := src.Line(t, "return next")

	fast, slow := perCaller(run.Contexts(t, "(*history).find", "entry", "return", next, true))
	if fast.Count == 0 || slow.Count*100 > fast.Count {
		t.Errorf("the short cut was taken %d times for average and %d times for quote, want it for average", fast.Count, slow.Count)
	}
	fast, slow = perCaller(run.Contexts(t, "(*history).find", "loop", "loop", next, false))
	if slow.Count == 0 || fast.Count*100 > slow.Count {
		t.Errorf("the search made %d steps for average and %d for quote, want them for quote", fast.Count, slow.Count)
	}
	if slow.Time == 0 || fast.Time > slow.Time {
		t.Errorf("the search took %d ns for average and %d ns for quote, want it for quote", fast.Time, slow.Time)
	}
}

// perCaller adds up contexts.
func perCaller(contexts []pathtest.Context) (average, quote pathtest.Context) {
	for _, c := range contexts {
		sum := &quote
		if strings.Contains(c.Callers[0], ").average:") {
			sum = &average
		}
		sum.Count += c.Count
		sum.Time += c.Time
	}
	return average, quote
}
