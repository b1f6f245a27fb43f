package integration

import (
	"math"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rewrite/patch"
)

// TestMarkers finds the loops of a program in its binary. One is inlined in two places, and the condition of another is tested
// behind the body by the compiler. The paths of one are in a register, and those of another in a hash table. The last never ran.
func TestMarkers(t *testing.T) {
	if why := patch.WhyNot(); why != "" {
		t.Skip(why)
	}
	const rounds = "-rounds=30000000"
	dir := copyProgram(t, "markers")
	want, _ := run(t, dir, "go", "run", ".", rounds)
	// Samples in a row would see two thirds of what main does again and again, and not the same two thirds as often as others.
	p := wrapSampled(t, dir, want, []string{"-backend", "native", "-sampler", "ag(64,17)", "go", "run"}, rounds)
	if len(p.Programs) != 1 {
		t.Fatalf("%d programs with native probes, want 1", len(p.Programs))
	}
	copies := loopCopies(&p.Programs[0])
	t.Logf("%v", copies)
	// Times that each goes round, in a round of main's.
	truth := map[loopCopy]float64{
		{"sum", "main.often"}:     10,
		{"sum", "main.seldom"}:    2.5,
		{"halves", "main.halves"}: 4,
		{"digits", "main.digits"}: 2,
		{"wide", "main.wide"}:     1,
		{"never", "main.main"}:    0,
		{"main", "main.main"}:     1,
	}
	total, all := 0.0, 0.0
	for c, n := range copies {
		if _, ok := truth[c]; !ok {
			t.Errorf("a copy of %s in %s", c.function, c.symbol)
		}
		total += n
	}
	for _, n := range truth {
		all += n
	}
	for c, n := range truth {
		got, ok := copies[c]
		if !ok {
			t.Errorf("no copy of %s in %s", c.function, c.symbol)
		}
		// A share of a second's samples: wide margins. That of which there is more than 0 must have been seen.
		if got, want := got/total, n/all; math.Abs(got-want) > 0.05 || (got > 0) != (want > 0) {
			t.Errorf("%s in %s: %.3f of all rounds, want %.3f", c.function, c.symbol, got, want)
		}
	}
}

// A loopCopy is the loop of a function in a function of the binary.
type loopCopy struct{ function, symbol string }

// loopCopies returns how often each copy of a loop went round; every function has one loop.
func loopCopies(p *profile.Program) map[loopCopy]float64 {
	copies := make(map[loopCopy]float64)
	for _, s := range p.Sites {
		loops := s.Function.Loops()
		if len(loops) == 0 || len(s.Ends) != 1 || !s.Function.Table.Edges[s.Ends[0]].Back {
			continue
		}
		name := s.Function.Table.Name[len(s.Function.Package)+1:]
		copies[loopCopy{name, s.Frames[len(s.Frames)-1].Name}] += float64(s.Count)
	}
	return copies
}
