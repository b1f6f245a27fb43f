package pgo

import (
	"github.com/goprofinstr/goprofinstr/export/compare"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A match says where the calls in the functions of a build are in the functions that a profile is for.
type match struct {
	functions map[function]*counterpart
	symbols   map[string]function // of the build's functions, with [...] for type arguments
}

// A function is one of a build.
type function struct{ path, name string } // of the package, and that of the table

// A counterpart is what a function is in the latest build.
type counterpart struct {
	name, was table.Callee
	main      bool // it is in a package main
	same      bool // it has the name that it had
	sites     map[site]bool
	to        map[site]site // of the function's sites, those that are in the counterpart
	endsLater int           // by how many lines the counterpart is longer
}

// newMatch finds the functions of a build.
func newMatch(build, latest *profile.Profile) *match {
	packages := make(map[string]*profile.Package)
	byName := make(map[table.Callee]*profile.Function)
	for _, pkg := range latest.Packages {
		packages[pkg.Path] = pkg
		for _, f := range pkg.Functions {
			if !f.Declined() {
				byName[nameOf(pkg, f)] = f
			}
		}
	}
	found, renamed := pairs(build, latest)
	m := &match{functions: make(map[function]*counterpart), symbols: make(map[string]function)}
	for _, pkg := range build.Packages {
		for _, f := range pkg.Functions {
			m.addSymbol(pkg, f)
			now := found[function{pkg.Path, f.Table.Name}]
			if now == nil {
				now = byName[nameOf(pkg, f)] // of another variant of the package
			}
			if now != nil && !f.Declined() {
				m.functions[function{pkg.Path, f.Table.Name}] = newCounterpart(pkg, f, packages[now.Package], now, renamed)
			}
		}
	}
	return m
}

// addSymbol notes what the linker calls a function: in programs, and in test binaries.
func (m *match) addSymbol(pkg *profile.Package, f *profile.Function) {
	if f.Declined() {
		return
	}
	name := nameOf(pkg, f)
	for _, main := range []bool{false, pkg.Main} {
		m.symbols[symbol(name, call{caller: name, main: main})] = function{pkg.Path, f.Table.Name}
	}
}

// pairs returns the functions of the latest build that those of a build are, and which have another name now.
func pairs(build, latest *profile.Profile) (found map[function]*profile.Function, renamed map[table.Callee]table.Callee) {
	of := make(map[string]*profile.Package)
	for _, p := range []*profile.Profile{build, latest} {
		for _, pkg := range p.Packages {
			of[pkg.Path] = pkg
		}
	}
	found, renamed = make(map[function]*profile.Function), make(map[table.Callee]table.Callee)
	for _, p := range compare.Match(build, latest).Pairs {
		found[function{p.Old.Package, p.Old.Table.Name}] = p.New
		if p.Renamed {
			renamed[nameOf(of[p.Old.Package], p.Old)] = nameOf(of[p.New.Package], p.New)
		}
	}
	return found, renamed
}

func newCounterpart(pkg *profile.Package, f *profile.Function, nowPkg *profile.Package, now *profile.Function,
	renamed map[table.Callee]table.Callee) *counterpart {
	c := &counterpart{name: nameOf(nowPkg, now), was: nameOf(pkg, f), main: nowPkg.Main, sites: make(map[site]bool)}
	c.same = c.name == c.was
	after := sitesOf(nowPkg, now)
	for _, s := range after {
		c.sites[s] = true
	}
	c.to = alignSites(sitesOf(pkg, f), after, renamed, c.same)
	c.endsLater = now.Table.EndLine - now.Table.Line - (f.Table.EndLine - f.Table.Line)
	return c
}

// How a call was found.
type found int

const (
	lost    found = iota
	byLine        // where it was, so that the compiler finds it by itself
	byMatch       // somewhere else
)

// find returns what a call in a function of a build is in the latest build.
func (m *match) find(in function, c call) (call, found) {
	now := m.functions[in]
	if now == nil {
		return call{}, lost
	}
	s := siteOf(c)
	to, ok := now.to[s]
	if !ok && s.unsure {
		to, ok = shifted(s, now.to, now.endsLater)
	}
	if !ok {
		return call{}, lost
	}
	how := byMatch
	if now.same && (now.sites[s] || to == s) {
		how = byLine
	}
	c.caller, c.main, c.callee, c.offset = now.name, now.main, to.callee, to.offset
	if c.target != "" {
		c.target = m.renamed(c.target)
	}
	return c, how
}
