package progen

import (
	"fmt"
	"strings"
)

// redeclarable are the predeclared names that packages redeclare, with a declaration for each.
// Not uint32: code of go build -cover needs it.
var redeclarable = map[string]string{
	"true":    "const true = 1 == 2",
	"false":   "var false = 3",
	"len":     "func len(x any) string { return `len` }",
	"append":  "var append = 1",
	"uint64":  "type uint64 string",
	"uint":    "type uint struct{}",
	"int":     "type int []string",
	"bool":    "type bool float64",
	"string":  "type string struct{}",
	"panic":   "var panic = tr.NotPanic",
	"recover": "func recover() {}",
	"nil":     "var nil = 0",
	"any":     "const any = 1",
	"min":     "var min = 1",
	"print":   "func print() {}",
	"iota":    "const iota = 7",
	"error":   "type error struct{}",
	"int32":   "type int32 string",
}

// file returns the source of a package.
func (g *gen) file(functions int, fatal bool) string {
	g.shadow = make(map[string]bool)
	g.header()
	g.iterators()
	for range functions {
		g.declaration()
	}
	g.entry(functions)
	if fatal {
		g.fatal()
	}
	src := g.decls.String()
	if g.chance(10) {
		src += "// no line ends here"
	}
	if g.chance(10) {
		src = strings.TrimRight(src, "\n")
	}
	if g.chance(8) {
		src = strings.ReplaceAll(src, "\n", "\r\n")
	}
	return src
}

func (g *gen) header() {
	w := &g.decls
	imports := fmt.Sprintf("import (\n\"runtime\"\n%q\n)\n", Module+"/tr")
	switch g.IntN(5) {
	case 0:
		fmt.Fprintf(w, "package /* c */ %s // c\n%s", g.pkg, imports)
	case 1:
		fmt.Fprintf(w, "// Package %s.\npackage %s; %s", g.pkg, g.pkg, imports)
	case 2:
		fmt.Fprintf(w, "package %s /* c\nc */ %s", g.pkg, imports)
	default:
		fmt.Fprintf(w, "package %s\n\n%s", g.pkg, imports)
	}
	w.WriteString("var _ = runtime.Goexit\n")
	if g.chance(20) {
		for name, decl := range redeclarable {
			// The order of a map is random, so choose by a number that is not.
			if g.picked(name) {
				g.shadow[name] = true
				_ = decl
			}
		}
		for _, name := range sorted(g.shadow) {
			decl := redeclarable[name]
			for typ := range map[string]bool{"any": true, "string": true} {
				if g.shadow[typ] && strings.Contains(decl, " "+typ) && name != typ {
					decl = ""
				}
			}
			if decl == "" {
				delete(g.shadow, name)
				continue
			}
			w.WriteString(decl + "\n")
		}
	}
	i, b := g.typ("int"), g.typ("bool")
	fmt.Fprintf(w, "type NB %s\nconst debug = %s\n", b, "1 == 2")
	fmt.Fprintf(w, "type S struct {\nX %s\nB NB\n}\ntype GS[E tr.Any] struct{ V E }\n", i)
	fmt.Fprintf(w, "func one0() {}\nfunc one1(x, y %s) %s { if x > y && x > 1 { return x&7 }; return y&7 }\n", i, i)
	fmt.Fprintf(w, "func one2(x, y %s) %s { return x > 0 && y > 0 || x == y }\n", i, b)
	fmt.Fprintf(w, "func _() { for { } }\nfunc init() { tr.Keep(1, one2(1, 2) || one2(2, 1)) }\n")
	fmt.Fprintf(w, "var global = func(x %s) %s { if x > 1 && !debug { return x }; return 2 }(3)\n", i, i)
	if g.chance(10) {
		w.WriteString("var gpi_rt, gpi_C, gpi_r = 1, 2, 3\n")
	}
	g.initialisers()
}

// initialisers declares variables whose values depend on the order in which they are set. Some call a function, and others do
// not. The last come from a function whose callee panics.
func (g *gen) initialisers() {
	i := g.typ("int")
	fmt.Fprintf(&g.decls, "var last %s\nfunc number(x %s) %s { if x > last && !debug { last = x }; return last }\n", i, i, i)
	for n := range 4 {
		value := fmt.Sprintf("number(%d)", n+1)
		if n%2 > 0 {
			value = fmt.Sprintf("10*last + %d", n)
		}
		fmt.Fprintf(&g.decls, "var set%d = %s\n", n, value)
	}
	enter := func() string { return fmt.Sprintf("a := tr.Enter(%d)\n", g.nextID()) }
	trace := func() string { return fmt.Sprintf("tr.T(a, %d)\n", g.nextID()) }
	fmt.Fprintf(&g.decls, "func failing(n %s) (r %s) {\n%sif n > 2 && !debug {\n%sn++\n}\n%sr = []%s{1, 2}[n]\n%sreturn r\n}\n",
		i, i, enter(), trace(), trace(), i, trace())
	fmt.Fprintf(&g.decls, "func tried(n %s) (r %s) {\n%str.Try(func() { r = failing(n) })\n%sreturn r + 5\n}\n",
		i, i, enter(), trace())
	fmt.Fprintf(&g.decls, "var set4, set5, set6 = tried(1), tried(2), tried(3)\n")
}

// picked tells whether name is redeclared, depending on nothing but the seed and the name.
func (g *gen) picked(name string) bool {
	h := uint64(g.id+1)*2654435761 + uint64(len(g.pkg))
	for _, c := range g.pkg + name {
		h = h*1099511628211 + uint64(c)
	}
	return h>>20%4 == 0
}

// declaration declares a function or method.
func (g *gen) declaration() {
	f, c := &frame{}, &callee{}
	base := g.fresh("F")
	g.signature(f, c)
	head := g.receiver(base, c) + g.parameters(f, c)
	shadow := g.shadow
	recovers := g.chance(12) && !g.shadow["recover"]
	body := g.function(f, func() string {
		s := g.localShadow()
		if recovers {
			s += g.recovering()
		}
		s += g.list()
		if g.chance(85) || len(f.results) == 0 {
			return s + g.t() + g.returnStmt()
		}
		return s + g.terminating()
	})
	g.shadow = shadow
	c.cost, c.panics = f.cost, f.panics && !recovers
	if f.cost > 4*maxCost {
		c.cost = 1 << 30 // nobody else calls it
	}
	g.decls.WriteString(head + " {\n" + body + "}\n" + g.oneOf("", "", "\n", "/* c */\n"))
	g.funcs = append(g.funcs, c)
}

// signature chooses the parameters of a function and its results, which may have names.
func (g *gen) signature(f *frame, c *callee) {
	for range 1 + g.IntN(3) {
		p := g.oneOf("int", "int", "bool", "nb", "string", "any")
		c.params = append(c.params, p)
		f.vars = append(f.vars, variable{g.fresh("x"), p, false})
	}
	f.results = [][]string{nil, {"int"}, {"bool"}, {"nb"}, {"any"}, {"int", "bool"}, {"bool", "nb"}, {"int", "any"}}[g.IntN(8)]
	c.results = f.results
	if len(f.results) == 0 || !g.chance(40) {
		return
	}
	for range f.results {
		f.named = append(f.named, g.fresh("r"))
	}
	for i, r := range f.named {
		f.vars = append(f.vars, variable{r, f.results[i], false})
	}
}

// receiver returns the head of a function, method or generic function in front of its parameters, and sets how it is
// called.
func (g *gen) receiver(base string, c *callee) (head string) {
	switch g.IntN(6) {
	case 0:
		c.name = "S{X: 2}." + base
		return "func (s S) " + base
	case 1:
		c.name = "(&S{B: tr.True})." + base
		return "func (s *S) " + base
	case 2:
		c.name = base + "[" + g.oneOf(g.typ("int")+", []"+g.typ("int"), "S, []S", "NB, []NB") + "]"
		return "func " + base + "[E tr.Any, N ~[]E]"
	case 3:
		c.name = g.oneOf("(&GS["+g.typ("int")+"]{})."+base, "(&GS[NB]{})."+base)
		return "func (s *GS[E]) " + base
	}
	c.name = base
	return "func " + base
}

// parameters returns the parameters and results of a function as they stand in its head.
func (g *gen) parameters(f *frame, c *callee) string {
	var params, results []string
	for i, p := range c.params {
		params = append(params, f.vars[i].name+" "+g.typ(p))
	}
	for i, r := range f.results {
		s := g.typ(r)
		if f.named != nil {
			s = f.named[i] + " " + s
		}
		results = append(results, s)
	}
	if len(results) == 0 {
		return "(" + strings.Join(params, ", ") + ")"
	}
	return "(" + strings.Join(params, ", ") + ") (" + strings.Join(results, ", ") + ")"
}

// localShadow redeclares predeclared names in a function.
func (g *gen) localShadow() string {
	if !g.chance(12) {
		return ""
	}
	outer := g.shadow
	g.shadow = make(map[string]bool)
	for name := range outer {
		g.shadow[name] = true
	}
	s := ""
	for name, decl := range map[string]string{"true": "true := 1 == 2", "append": "append := 1", "panic": "panic := tr.NotPanic", "false": "false := 1"} {
		if g.picked(name + "local") {
			g.shadow[name] = true
			_ = decl
		}
	}
	for _, name := range sorted(g.shadow) {
		switch {
		case outer[name]:
		case name == "panic":
			s += "panic := tr.NotPanic; _ = panic\n"
		default:
			s += "var " + name + " = 1 == 2; _ = " + name + "\n"
		}
	}
	return s
}

// terminating returns the end of a function with results that is not a return statement.
func (g *gen) terminating() string {
	end := func() string { return "{\n" + g.t() + g.returnStmt() + "}" }
	switch g.IntN(5) {
	case 0:
		return "if " + g.condition(true) + " " + end() + " else " + end() + "\n"
	case 1:
		return "for " + end() + "\n"
	case 2:
		return "switch tr.R(3) {\ncase 1:\n" + g.t() + "fallthrough\ncase 0:\n" + g.t() + g.returnStmt() + "default:\n" + g.t() + g.returnStmt() + "}\n"
	case 3:
		return "select {\ndefault:\n" + g.t() + g.returnStmt() + "}\n"
	}
	l := g.fresh("G")
	return "{\n" + l + ":\n" + g.t() + "if tr.Q(2) {\n" + g.t() + g.returnStmt() + "}\n" + g.t() + "goto " + l + "\n}\n"
}

// entry declares Run, which calls every function a few times.
func (g *gen) entry(functions int) {
	w := &g.decls
	fmt.Fprintf(w, "func Run() {\ntr.Say(last, set0, set1, set2, set3, set4, set5, set6)\ntr.Run(%q, %d, func() {\n",
		g.pkg, g.Uint64())
	g.f = &frame{mult: 1, act: "0"}
	for _, c := range g.funcs {
		if c.seq > 0 {
			continue
		}
		for range 4 {
			call := c.name + "(" + g.args(c.params) + ")"
			switch len(c.results) {
			case 0:
			case 1:
				call = "tr.E(" + call + ")"
			default:
				call = "tr.Keep(" + call + ")"
			}
			fmt.Fprintf(w, "tr.Try(func() { %s })\n", call)
		}
	}
	g.f = nil
	w.WriteString("})\n}\n")
}

// fatal declares Fatal, which ends the program.
func (g *gen) fatal() {
	i := g.typ("int")
	end := g.oneOf(
		"tr.Exit(3)",
		"tr.Panic(`end`)",
		"tr.Panic(tr.Err(`end`))",
		"var m map[string]float64; m[`a`] = 1",
		"var s []float64; s[tr.R(1)] = 1",
		"runtime.Goexit()",
		"<-tr.Never()",
		"defer tr.Panic(`second`); tr.Panic(`first`)",
		"func() { defer tr.Exit(4); tr.Panic(`first`) }()",
		"tr.Go(func() { tr.Panic(`in a goroutine`) })",
	)
	if g.shadow["string"] {
		end = "tr.Exit(5)"
	}
	fmt.Fprintf(&g.decls, "func Fatal() {\ntr.Fatal(%d)\nfatal1(3)\n}\n", g.Uint64())
	fmt.Fprintf(&g.decls, "func fatal1(n %s) {\nfor i := range n {\nif i == 2 && n > 0 {\nfor range It1_%s(2) {\n func() { if n > 2 || i > 1 { %s } }()\n}\n}\n}\n}\n", i, g.pkg, end)
}

func sorted(set map[string]bool) []string {
	var names []string
	for name := range redeclarable {
		if set[name] {
			names = append(names, name)
		}
	}
	for i := range names {
		for j := i; j > 0 && names[j] < names[j-1]; j-- {
			names[j], names[j-1] = names[j-1], names[j]
		}
	}
	return names
}
