package rewrite

import (
	"flag"
	"go/types"
	"os"
	"runtime"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/ssacfg/timing"
)

var timingOf = flag.String("timing.of", "go/printer", "for TestTimingPoints: packages, or std")
var timingIn = flag.String("timing.in", "", "for TestTimingPoints: the folder of their module")

// TestTimingPoints tells in how many functions of real packages loops would be timed by static estimates, and what becomes of the loops.
// RATIONALE.md's table is that of
//
//	go test ./rewrite -run TestTimingPoints -v -timing.of std
func TestTimingPoints(t *testing.T) {
	b, err := load.Load(load.Config{
		Dir:      *timingIn,
		Patterns: []string{*timingOf},
		Select: func(p *packages.Package) bool {
			return *timingOf == "std" || *timingIn != "" && p.Module != nil && p.Module.Main || p.PkgPath == *timingOf
		},
		Source: os.ReadFile,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.LoadExports(b.Packages, nil); err != nil {
		t.Fatal(err)
	}
	var total timingStats
	for _, p := range b.Packages {
		if p.Declined == "" {
			total.add(t, b, p)
		}
	}
	t.Logf("%+v", total)
	if total.Functions < 50 || total.Timed == 0 || total.Timed > total.Needed || total.Needed > total.Loopy {
		t.Error("that cannot be")
	}
}

type timingStats struct {
	Functions int
	Loopy     int // have loops
	Needed    int // the entry's share is small
	Timed     int // have a point
	Points    int
	Loops     int // of those that are needed
	Refused   map[timing.Reason]int
}

func (s *timingStats) add(t *testing.T, b *load.Build, p *load.Package) {
	if err := p.Parse(); err != nil {
		t.Fatal(err)
	}
	defer p.Forget()
	funcs, err := analyze(b, p, Options{Sizes: types.SizesFor("gc", runtime.GOARCH)})
	if err != nil {
		t.Fatal(err)
	}
	for _, fn := range funcs {
		if fn.Declined == "" {
			g, _ := fn.Timing()
			s.count(timing.Choose(g, timing.Estimated))
		}
	}
}

func (s *timingStats) count(c *timing.Choice) {
	s.Functions++
	if len(c.Loops) > 0 {
		s.Loopy++
	}
	if !c.Needed {
		return
	}
	s.Needed++
	if len(c.Points) > 0 {
		s.Timed++
	}
	s.Points += len(c.Points)
	if s.Refused == nil {
		s.Refused = make(map[timing.Reason]int)
	}
	s.Loops += len(c.Loops)
	for _, l := range c.Loops {
		if l.Refused != "" {
			s.Refused[l.Refused]++
		}
	}
}
