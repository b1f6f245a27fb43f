package selection

import (
	"fmt"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/alone"
)

func readSource(file string) (*source, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return parse(filepath.Base(file), text)
}

// addGroup selects by the files of one package that are other than at a revision.
func (s *selector) addGroup(p *listed, rev string, files []*changed) {
	for _, inTests := range []bool{false, true} {
		g := &group{selector: s, pkg: p, tests: inTests, old: make(map[string]*declaration), now: make(map[string]*declaration),
			files: make(map[string]bool)}
		for _, c := range files {
			if old, other := c.old[rev]; other && isTestFile(c.name) == inTests {
				g.read(c, old)
			}
		}
		g.compare(rev == s.data.manifest.Head)
	}
}

// A group is the declarations of those files of a package that have changed: of its test files, or of the others.
type group struct {
	*selector
	pkg      *listed
	tests    bool
	old, now map[string]*declaration // by key
	files    map[string]bool         // by base name
	imports  [2][]string             // of the files, before and after
}

// all selects all tests that the files matter to.
func (g *group) all(why string) { g.part(g.pkg, g.tests, why) }

// read adds the declarations of a file, which is old or now, and selects by what is not declarations.
func (g *group) read(c *changed, old []byte) {
	base := path.Base(c.name)
	parsed := func(src []byte) *source {
		if src == nil {
			return new(source)
		}
		f, err := parse(base, src)
		if err != nil {
			g.all(fmt.Sprintf("%s cannot be read: %v", c.name, err))
			return new(source)
		}
		return f
	}
	before, after := parsed(old), parsed(c.now)
	switch {
	case !slices.Equal(before.special, after.special):
		g.all(c.name + " has other directives")
	case c.now != nil && slices.Contains(g.pkg.IgnoredGoFiles, base):
		return // it is left out of the build, and was: its constraints are the same
	case old != nil && c.now != nil && before.pkg != after.pkg:
		g.all(c.name + " is of another package")
	}
	if why := g.compareImports(before, after); why != "" {
		g.all(c.name + why)
	}
	g.files[base] = true
	g.imports[0], g.imports[1] = append(g.imports[0], before.imports...), append(g.imports[1], after.imports...)
	add := func(to map[string]*declaration, f *source) {
		for _, d := range f.declarations {
			to[f.pkg+" "+d.key] = d
		}
	}
	add(g.old, before)
	add(g.now, after)
}

// compareImports says why what a file imports may change more than what mentions it; "" if it does not.
func (g *group) compareImports(before, after *source) string {
	missing := func(from, in *source) (list []string) {
		for _, i := range from.imports {
			if !slices.Contains(in.imports, i) {
				list = append(list, i)
			}
		}
		return list
	}
	added, removed := missing(after, before), missing(before, after)
	if len(added)+len(removed) == 0 {
		return ""
	}
	if before.odd || after.odd {
		return " imports other packages, and one for its effects or with a dot"
	}
	for _, a := range added {
		for _, r := range removed {
			if localName(a) == "" || localName(r) == "" || localName(a) == localName(r) {
				return " imports " + importPath(a) + " in place of " + importPath(r)
			}
		}
	}
	return ""
}

// localName returns the name by which a file calls a package of the standard library; "" if it may be another than its last
// element.
func localName(i string) string {
	p := importPath(i)
	first, _, _ := strings.Cut(p, "/")
	last := path.Base(p)
	if p != i || strings.Contains(first, ".") || strings.HasPrefix(last, "v") && strings.Trim(last[1:], "0123456789") == "" {
		return ""
	}
	return last
}

// compareInitialised selects by packages that are initialised with the group's package, and were not, or the other way round. No
// matter are those that others import which it imports before and after.
func (g *group) compareInitialised() {
	before, after := g.unchangedImports(), g.unchangedImports()
	for _, p := range g.imports[0] {
		before[importPath(p)] = true
	}
	for _, p := range g.imports[1] {
		after[importPath(p)] = true
	}
	reached := make(map[string]bool)
	for p := range before {
		if after[p] {
			g.reach(p, reached)
		}
	}
	differ := func(a, b map[string]bool) {
		for p := range a {
			if !b[p] && !reached[p] {
				g.all(fmt.Sprintf("%s is imported now or before, and initialised for no other reason", p))
			}
		}
	}
	differ(before, after)
	differ(after, before)
}

// unchangedImports returns what the package's other files import, and for tests all that the package itself does.
func (g *group) unchangedImports() map[string]bool {
	paths := make(map[string]bool)
	for _, src := range g.units[g.pkg.ImportPath] {
		if inTests := isTestFile(src.name); inTests && !g.tests || inTests == g.tests && g.files[src.name] {
			continue
		}
		for _, i := range src.imports {
			paths[importPath(i)] = true
		}
	}
	if g.tests {
		paths["testing"], paths["os"] = true, true // of the main package
	}
	return paths
}

// reach adds a package and what it imports.
func (g *group) reach(p string, reached map[string]bool) {
	if reached[p] {
		return
	}
	reached[p] = true
	if l := g.packages[p]; l != nil {
		for _, i := range l.Imports {
			g.reach(i, reached)
		}
	}
}

// compare selects by declarations that have changed, are new or gone.
func (g *group) compare(isHead bool) {
	g.compareInitialised()
	for key, old := range g.old {
		now := g.now[key]
		switch {
		case now == nil:
			g.single(old, g.now, "gone")
		case now.text != old.text || now.file != old.file:
			g.both(old, now)
		}
	}
	for key, now := range g.now {
		if g.old[key] == nil {
			if isHead && !g.tests {
				g.fresh[name{g.pkg.ImportPath, now.key}] = true
			}
			g.single(now, g.old, "new")
		}
	}
}

// single selects by a declaration that is on one side only. What refers to it has changed, too.
func (g *group) single(d *declaration, others map[string]*declaration, what string) {
	why := fmt.Sprintf("%s: %s is %s", d.file, d.title(), what)
	switch {
	case d.kind == initialiser || d.runs:
		g.all(why + ", which runs when the package is initialised")
		return
	case d.kind == function && d.names[0] == "TestMain" && g.tests:
		g.all(why)
		return
	case d.kind != method && slices.ContainsFunc(d.names, func(n string) bool { return types.Universe.Lookup(n) != nil }):
		g.all(why + ", and Go has a declaration of that name")
		return
	}
	for _, n := range d.names {
		declares := func(o *declaration) bool { return o.kind != method && slices.Contains(o.names, n) }
		is := false // something else of the name is there, before and after
		for _, o := range others {
			is = is || declares(o)
		}
		if d.kind == method {
			is = is || !g.isWhole(n)
		}
		if is && n != "_" {
			g.mention(n, why)
		}
	}
}

// isWhole reports whether a type came or went with its methods.
func (g *group) isWhole(typ string) bool {
	has := func(side map[string]*declaration) (is bool) {
		for _, d := range side {
			is = is || d.kind == typeName && d.names[0] == typ
		}
		return is
	}
	return has(g.old) != has(g.now)
}

// both selects by a declaration that has changed.
func (g *group) both(old, now *declaration) {
	why := fmt.Sprintf("%s: %s has changed", now.file, now.title())
	switch {
	case now.kind == initialiser || old.runs || now.runs:
		g.all(why + ", which runs when the package is initialised")
	case now.kind == function && now.names[0] == "TestMain" && g.tests:
		g.all(why)
	case now.kind == function || now.kind == method:
		if g.tests || old.head != now.head {
			g.mention(now.names[0], why)
		}
		if g.tests {
			if now.kind == function && alone.IsTest(now.names[0]) {
				g.one(g.pkg, now.names[0], why)
			}
			return
		}
		g.entered(g.pkg, now.key, why)
	default:
		for _, n := range now.names {
			g.mention(n, why)
		}
	}
}

// mention notes that what mentions a name has changed.
func (g *group) mention(n, why string) { g.noteMention(mention{g.pkg.ImportPath, n, g.tests}, why) }

// title returns what a declaration is called in reasons.
func (d *declaration) title() string {
	switch d.kind {
	case function, initialiser:
		return "func " + d.names[0]
	case method:
		return d.key
	case typeName:
		return "type " + d.names[0]
	case constant:
		return "const " + strings.Join(d.names, ", ")
	}
	return "var " + strings.Join(d.names, ", ")
}
