package selection

import (
	"fmt"
	"slices"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/alone"
)

// A mention is a name whose declaration has changed: of a package, by import path, or of its test files.
type mention struct {
	pkg, name string
	tests     bool
}

// A queued mention has a reason.
type queued struct {
	mention
	why string
}

// noteMention has what mentions a name looked at, once.
func (s *selector) noteMention(m mention, why string) {
	if !s.known[m] && m.name != "_" {
		s.known[m] = true
		s.queue = append(s.queue, queued{m, why})
	}
}

// followMentions selects by what mentions names, and by what mentions that. A value of a type can only come from code that
// mentions the type or what mentions it.
func (s *selector) followMentions() {
	for len(s.queue) > 0 {
		q := s.queue[0]
		s.queue = s.queue[1:]
		for pkg, sources := range s.units {
			p := s.packages[pkg]
			for _, src := range sources {
				inTests := isTestFile(src.name)
				as := src.standing(p, q.pkg)
				if as == 0 || q.tests && !inTests {
					continue
				}
				for _, d := range src.declarations {
					if inHead := d.inHead[q.name]&as != 0; inHead || d.inBody[q.name]&as != 0 {
						s.mentioned(p, d, inTests, inHead, q)
					}
				}
			}
		}
		for _, p := range s.packages { // whose sources are not read
			if _, read := s.units[p.ImportPath]; !read && !p.Standard && slices.Contains(p.Imports, q.pkg) {
				s.whole(p, q.why)
			}
		}
	}
}

// standing returns how a name of a package stands in a file of package p; 0 if it cannot be there.
func (s *source) standing(p *listed, pkg string) (as standing) {
	inside := p.ImportPath == pkg
	if inside {
		as = plain
	}
	if s.importsPath(pkg) { // other packages, and tests outside of the package
		as |= qualified
		if s.odd {
			as |= plain
		}
	}
	return as
}

// mentioned selects by a declaration that mentions a name, in its head or else in its body.
func (s *selector) mentioned(p *listed, d *declaration, inTests, inHead bool, q queued) {
	why := q.why
	if !slices.Contains(d.names, q.name) {
		why = fmt.Sprintf("%s, and %s mentions %s", q.why, d.title(), q.name)
	}
	spread := func() {
		for _, n := range d.names {
			s.noteMention(mention{p.ImportPath, n, inTests}, q.why)
		}
	}
	switch {
	case d.kind == initialiser || d.runs || inTests && d.kind == function && d.names[0] == "TestMain":
		s.part(p, inTests, why)
	case d.kind != function && d.kind != method:
		spread()
	case inTests:
		if d.kind == function && alone.IsTest(d.names[0]) {
			s.one(p, d.names[0], why)
		}
		spread()
	default:
		if inHead {
			spread()
		}
		s.entered(p, d.key, why)
	}
}
