package gate

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
)

// sampledRun is a run of the function Words in package lex. The site at the end of its loop was sampled for a while, and
// no path was seen that ends there.
func sampledRun() *profiletest.Run {
	lex := profiletest.Sampled(profiletest.Lex())
	for i := range lex.Functions {
		lex.Functions[i].Cut = i + 1
	}
	r := profiletest.NewRun(1, 0, nil, lex)
	r.Counted().Sites = 2
	r.Data().Packages[0].Hashes = make([]map[uint64]uint64, len(lex.Functions))
	r.Count("example.com/m/lex.Version", 3, 0)
	r.Count("example.com/m/lex.Must", 2, 1, 3)
	r.Site(profiletest.Site{Address: 0x401000, Function: "example.com/m/lex.Must", Path: []int{1, 3}})
	r.Site(profiletest.Site{Address: 0x401010, Function: "example.com/m/lex.Words", Path: []int{1, 4, 6, 9, 11}})
	r.Data().Sites[1].Sampled = true
	return r
}

// TestSampled has what is known of a profile whose paths were sampled. What was not seen is not covered. What may have
// been executed is neither named as missing nor covered.
func TestSampled(t *testing.T) {
	r, err := Check(load(t, sampledRun()), Options{Min: map[Measure]float64{Branch: 10, Condition: 60, Path: 100}, Most: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range r.Gates {
		if g.Passed != (g.Measure == Branch) || g.Coverage.Doubtful.Sign() <= 0 || g.Open != (g.Measure == Condition) {
			t.Errorf("%+v", g)
		}
	}
	for _, m := range r.Missing {
		if m.Function.Table.Name == "example.com/m/lex.Words" && m.Measure == Path {
			t.Errorf("%s is named, and may have been executed", m.What)
		}
	}
	var text bytes.Buffer
	if err := WriteText(&text, r); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "which were not seen and may have been executed: paths were sampled") {
		t.Errorf("nothing is said of what is not known:\n%s", text.String())
	}
	killed := sampledRun()
	killed.Data().Sampling.CountedAll = false
	if _, err := Check(load(t, killed), Options{}); !errors.Is(err, ErrSampled) || !strings.Contains(err.Error(), "killed") {
		t.Errorf("of a process that was killed: %v", err)
	}
	if _, err := Check(load(t, profiletest.NewRun(1, 0, nil, profiletest.Lex())), Options{Baseline: load(t, killed)}); !errors.Is(err, ErrSampled) {
		t.Errorf("of a baseline that was killed: %v", err)
	}
}
