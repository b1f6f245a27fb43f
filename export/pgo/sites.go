package pgo

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/align"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A site is a place in a function where others are called. It is all calls of one function on one line, which the
// compiler does not tell apart either. Or it is a call whose callee is not known before.
type site struct {
	offset int // of the line, from the one where the function starts
	callee table.Callee
	unsure bool // it is not known before what is called; the site has no callee
}

func siteOf(c call) site { return site{offset: c.offset, callee: c.callee, unsure: c.target != ""} }

// sitesOf returns the sites of a function in the order of lines.
func sitesOf(pkg *profile.Package, f *profile.Function) (sites []site) {
	if f.Declined() {
		return nil
	}
	for _, c := range f.Table.Calls {
		sites = append(sites, site{offset: c.Line, callee: pkg.Callees[c.Callee]})
	}
	for _, s := range f.Table.Selectors {
		if s.Kind == table.Calls {
			sites = append(sites, site{offset: s.Offset, unsure: true})
		}
	}
	slices.SortFunc(sites, compareSites)
	return slices.Compact(sites)
}

func compareSites(a, b site) int {
	if a.unsure != b.unsure && a.offset == b.offset {
		if a.unsure {
			return 1
		}
		return -1
	}
	return cmp.Or(cmp.Compare(a.offset, b.offset), compareNames(a.callee, b.callee))
}

// callsIn returns the calls in a function, with how often they were executed.
func callsIn(pkg *profile.Package, f *profile.Function) map[call]int64 {
	calls := make(map[call]int64)
	caller := nameOf(pkg, f)
	for i, n := range f.CallCounts() {
		c := f.Table.Calls[i]
		if n > 0 {
			k := call{caller: caller, callee: pkg.Callees[c.Callee], main: pkg.Main, offset: c.Line}
			calls[k] = sum(calls[k], product(n, int64(1+c.More)))
		}
	}
	for _, e := range f.Events {
		for _, v := range e.Values {
			if e.Kind == table.Calls && v.Known() && v.Count > 0 {
				k := call{caller: caller, target: v.Name, main: pkg.Main, offset: e.Offset}
				calls[k] = sum(calls[k], v.Count)
			}
		}
	}
	return calls
}

// nameOf returns the name of a function as that of a callee is. Variants of a package that tests have, p [p.test], have
// the names of the package.
func nameOf(pkg *profile.Package, f *profile.Function) table.Callee {
	path, _, _ := strings.Cut(pkg.Path, " [")
	return table.Callee{Package: path, Name: strings.TrimPrefix(f.Table.Name, path+".")}
}

// alignSites returns where the sites of a function are in another version of it. The first are those that belong
// to a longest common subsequence of callees, in the order of lines. Then come those on the same line, if byLine
// says that the compiler would take them, too. Last are those whose callee is still called somewhere else, in
// their order.
func alignSites(before, after []site, renamed map[table.Callee]table.Callee, byLine bool) map[site]site {
	to := make(map[site]site)
	taken := make(map[site]bool)
	set := func(s, now site) { to[s], taken[now] = now, true }
	for i, j := range align.Long(labels(before, renamed), labels(after, nil)) {
		if j >= 0 {
			set(before[i], after[j])
		}
	}
	for _, s := range before {
		if _, found := to[s]; !found && byLine && slices.Contains(after, s) {
			set(s, s)
		}
	}
	for _, s := range before {
		if _, found := to[s]; found {
			continue
		}
		label := s.label(renamed)
		if at := slices.IndexFunc(after, func(now site) bool { return !taken[now] && now.label(nil) == label }); at >= 0 {
			set(s, after[at])
		}
	}
	return to
}

// labels returns what sites are aligned by.
func labels(sites []site, renamed map[table.Callee]table.Callee) (list []string) {
	for _, s := range sites {
		list = append(list, s.label(renamed))
	}
	return list
}

// label returns what is called, by the name that it has now.
func (s site) label(renamed map[table.Callee]table.Callee) string {
	if s.unsure {
		return ""
	}
	callee := s.callee
	if now, ok := renamed[callee]; ok {
		callee = now
	}
	return callee.Package + " " + callee.Name
}

// shifted returns where a call in one version of a function is in another whose table does not have it. Calls of
// unknown callees are not in tables of programs that do not count them. The call has moved along with the sites
// before and behind it, if both have moved by the same.
func shifted(at site, to map[site]site, end int) (site, bool) {
	before, behind := site{offset: -1}, site{offset: math.MaxInt}
	shift, shiftBehind := 0, end
	for s, now := range to {
		switch {
		case s.offset <= at.offset && s.offset > before.offset:
			before, shift = s, now.offset-s.offset
		case s.offset > at.offset && s.offset < behind.offset:
			behind, shiftBehind = s, now.offset-s.offset
		}
	}
	at.offset += shift
	return at, shift == shiftBehind
}
