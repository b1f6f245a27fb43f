package method

import (
	"strings"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

func TestAccountOfTicks(t *testing.T) {
	first := &rundata.Sampling{Ticks: 1000, Samples: 64_000, CPU: 10 * time.Second, Cost: 20 * time.Millisecond, Contexts: 1900}
	second := &rundata.Sampling{Ticks: 8, Samples: 512, CPU: 100 * time.Millisecond, Contexts: 100, Cut: 250, Folded: 1234}
	a := Account{Samplings: []*rundata.Sampling{first, second}}
	const want = "64,512 samples at 1,008 ticks in 10.1s of CPU time, which took 0.2% of it; " +
		"12.5% of contexts are cut short, for want of room; 1,234 rare contexts folded into others"
	if got := (ticks{}).Account(a); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	second.Cut, second.Folded = 0, 0
	plain, _, _ := strings.Cut(want, ";")
	if got := (ticks{}).Account(a); got != plain {
		t.Errorf("got  %s\nwant %s", got, plain)
	}
}
