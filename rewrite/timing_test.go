package rewrite

import (
	"flag"
	"go/types"
	"os"
	"runtime"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/ssacfg/timing"
)

var timingOf = flag.String("timing.of", "go/printer", "for TestTimingPoints: packages, or std")
var timingBy = flag.String("timing.by", "", "for TestTimingPoints: an exact profile, by which functions are judged that it has")
var timingIn = flag.String("timing.in", "", "for TestTimingPoints: the folder of their module")

// TestTimingPoints tells in how many functions of real packages loops would be timed by static estimates, and what becomes
// of the loops. The table of docs/lab/lap.md is that of
//
//	go test ./rewrite -run TestTimingPoints -v -timing.of std
//
// and of folders of modules, with -timing.of ./..., and -timing.by what goprofinstr wrap -mode exact go test -bench . has
// written.
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
	total := timingStats{options: timing.Estimated, measured: readTimingProfile(t)}
	if total.measured != nil {
		total.options = timing.Measured
	}
	for _, p := range b.Packages {
		if p.Declined == "" {
			total.add(t, b, p)
		}
	}
	total.measured = nil
	t.Logf("%+v", total)
	if total.Functions < 50 || total.Timed == 0 || total.Timed > total.Needed || total.Needed > total.Loopy {
		t.Error("that cannot be")
	}
}

// readTimingProfile reads the profile of -timing.by.
func readTimingProfile(t *testing.T) Measured {
	if *timingBy == "" {
		return nil
	}
	p, err := profile.Load(*timingBy)
	if err != nil {
		t.Fatal(err)
	}
	m := make(Measured)
	for _, f := range p.Functions() {
		if f.Executed() {
			if m[f.Package] == nil {
				m[f.Package] = make(map[string]MeasuredFunction)
			}
			m[f.Package][f.Table.Name] = MeasuredFunction{Edges: f.Table.Edges, Counts: f.Edges}
		}
	}
	return m
}

type timingStats struct {
	measured Measured
	options  timing.Options

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
	funcs, err := analyze(b, p, Options{Sizes: types.SizesFor("gc", runtime.GOARCH), Measured: s.measured})
	if err != nil {
		t.Fatal(err)
	}
	for _, fn := range funcs {
		if _, ran := s.measured[p.Path][p.Path+"."+fn.Name]; fn.Declined == "" && (ran || s.measured == nil) {
			g, _ := fn.Timing()
			c := timing.Choose(g, s.options)
			if s.count(c); ran && c.Needed {
				t.Logf("%s.%s: entry %.2g, loops %+v", p.Path, fn.Name, c.EntryShare, c.Loops)
			}
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
