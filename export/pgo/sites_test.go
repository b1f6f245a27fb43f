package pgo

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// randomSites returns calls of up to three functions on up to six lines.
func randomSites(r *rand.Rand) (sites []site) {
	for range r.IntN(7) {
		sites = append(sites, site{offset: r.IntN(6), callee: table.Callee{Name: string(rune('a' + r.IntN(3)))}})
	}
	slices.SortFunc(sites, compareSites)
	return slices.Compact(sites)
}

// TestAlignSites holds alignments of random sites against all ways to choose some of them.
func TestAlignSites(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		before, after := randomSites(r), randomSites(r)
		to := alignSites(before, after, nil, r.IntN(2) == 0)
		most := make(map[string]int) // that can be found of each callee
		for _, s := range before {
			most[s.callee.Name]++
		}
		inOrder := longestRun(before, after, to)
		if want := longestCommon(labels(before, nil), labels(after, nil)); inOrder < want {
			t.Fatalf("%v to %v: %v keeps %d in order, want %d", before, after, to, inOrder, want)
		}
		for name, n := range most {
			there, found := 0, 0
			for _, s := range after {
				if s.callee.Name == name {
					there++
				}
			}
			for s, now := range to {
				if s.callee != now.callee {
					t.Fatalf("%v is %v", s, now)
				}
				if s.callee.Name == name {
					found++
				}
			}
			if found < min(n, there) {
				t.Fatalf("%v to %v: %d of the calls of %s, want %d", before, after, found, name, min(n, there))
			}
		}
	}
}

// longestCommon returns the length of a longest common subsequence: of all subsequences of a, those that b has.
func longestCommon(a, b []string) (longest int) {
	for chosen := range 1 << len(a) {
		n, at := 0, 0
		for i, label := range a {
			if chosen>>i&1 == 0 {
				continue
			}
			next := slices.Index(b[at:], label)
			if next < 0 {
				n = -1
				break
			}
			n, at = n+1, at+next+1
		}
		longest = max(longest, n)
	}
	return longest
}

// longestRun returns how many of the sites are in the same order in an alignment, of all ways to choose some of them.
func longestRun(before, after []site, to map[site]site) (longest int) {
	for chosen := range 1 << len(before) {
		n, last := 0, -1
		for i, s := range before {
			if chosen>>i&1 == 0 {
				continue
			}
			now, ok := to[s]
			at := slices.Index(after, now)
			if !ok || at <= last {
				n = -1
				break
			}
			n, last = n+1, at
		}
		longest = max(longest, n)
	}
	return longest
}

// TestByLine prefers the same line over any other where the order does not tell.
func TestByLine(t *testing.T) {
	at := func(offset int, name string) site { return site{offset: offset, callee: table.Callee{Name: name}} }
	before := []site{at(1, "a"), at(2, "b"), at(3, "a")}
	after := []site{at(1, "b"), at(2, "a"), at(3, "a")}
	to := alignSites(before, after, nil, true)
	if to[at(3, "a")] != at(3, "a") || to[at(1, "a")] != at(2, "a") || to[at(2, "b")] != at(1, "b") {
		t.Error(to)
	}
	renamed := map[table.Callee]table.Callee{{Name: "a"}: {Name: "c"}}
	to = alignSites(before, []site{at(7, "c"), at(8, "c"), at(9, "b")}, renamed, false)
	if to[at(1, "a")] != at(7, "c") || to[at(3, "a")] != at(8, "c") || to[at(2, "b")] != at(9, "b") {
		t.Error(to)
	}
}

// TestShifted has a call that is in no table, between others.
func TestShifted(t *testing.T) {
	at := func(offset int) site { return site{offset: offset, callee: table.Callee{Name: "f"}} }
	call := site{offset: 5, unsure: true}
	for _, test := range []struct {
		to   map[site]site
		end  int
		want int // 0 if it is not known
	}{
		{nil, 0, 5},
		{nil, 2, 0},
		{map[site]site{at(3): at(5)}, 2, 7},
		{map[site]site{at(3): at(5)}, 0, 0},
		{map[site]site{at(1): at(1), at(3): at(5), at(8): at(10)}, 9, 7},
		{map[site]site{at(5): at(6), at(6): at(7)}, 9, 6},
		{map[site]site{at(6): at(6)}, 9, 5},
	} {
		got, ok := shifted(call, test.to, test.end)
		if ok != (test.want != 0) || ok && got != (site{offset: test.want, unsure: true}) {
			t.Errorf("%v, and the end by %d: %v, %t, want %d", test.to, test.end, got, ok, test.want)
		}
	}
}
