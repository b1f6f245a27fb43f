package profile

import (
	"testing"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/rt/copies"
)

const (
	wordsName = "example.com/m/lex.Words"
	mustName  = "example.com/m/lex.Must"
)

// TestUnknown has paths that copies of machine code do not tell, of functions with counters and with a hash table. The count
// behind the last path is of none.
func TestUnknown(t *testing.T) {
	for _, name := range []string{wordsName, mustName} {
		r := profiletest.NewRun(1, 0, nil, profiletest.Copied(profiletest.Lex()))
		r.Sample(wordsName, 100, 50, nil, 0, 2, 12)
		r.Unknown(name, 40, 20)
		p := load(t, r)
		for _, f := range p.Functions() {
			want := int64(0)
			if f.Table.Name == name {
				want = 40
			}
			if f.Unknown != want {
				t.Errorf("%d unknown path ends of %s, want %d", f.Unknown, f.Table.Name, want)
			}
		}
		if f := function(t, p, wordsName); len(f.Paths) != 1 || f.Paths[0].Count != 100 {
			t.Errorf("with unknown paths of %s: %+v", name, f.Paths)
		}
	}
}

// TestUnknownCounted has a function whose paths were counted, and then some of them were not known: any may be more.
func TestUnknownCounted(t *testing.T) {
	for _, unknown := range []uint64{0, 3} {
		r := profiletest.NewRun(1, 0, nil, profiletest.Copied(profiletest.Lex()))
		r.Count(wordsName, 100, 0, 2, 12)
		r.Unknown(wordsName, unknown, 0)
		f := function(t, load(t, r), wordsName)
		if exact := f.CertaintyOf(&f.Paths[0]) == HowOften; exact != (unknown == 0) {
			t.Errorf("with %d path ends that are not known the count is exact: %t", f.Unknown, exact)
		}
	}
}

// TestUncounted has a function that no run counts, and one that one of two runs counts.
func TestUncounted(t *testing.T) {
	first := profiletest.NewRun(1, 0, nil, profiletest.Copied(profiletest.Lex()))
	second := profiletest.NewRun(2, 0, nil, profiletest.Copied(profiletest.Lex()))
	first.Uncounted(wordsName, copies.Unmapped)
	first.Uncounted(mustName, copies.NoCode)
	second.Uncounted(mustName, copies.NoCode)
	p := load(t, first, second)
	if why := function(t, p, wordsName).Uncounted; why != "" {
		t.Errorf("one run counts %s, and it is said of it: %s", wordsName, why)
	}
	if why := function(t, p, mustName).Uncounted; why != "the program has no code of it" {
		t.Errorf("no run counts %s, and it is said of it: %q", mustName, why)
	}
}
