package progen

import "strings"

// Statements without statements in them.

// simple returns a statement without statements in it.
func (g *gen) simple() string {
	switch g.IntN(16) {
	case 0:
		v := g.fresh("v")
		typ := g.oneOf("int", "bool", "string", "nb")
		s := v + " := " + g.value(typ) + "; _ = " + v + "\n"
		if typ == "int" && strings.Contains(s, "uint8") {
			typ = ""
		}
		g.declare(v, typ, false)
		return s
	case 1:
		typ := g.oneOf("int", "bool", "nb")
		if v, ok := g.pick(typ, true); ok {
			return v + " = " + g.value(typ) + "\n"
		}
	case 2:
		if v, ok := g.pick("int", true); ok {
			return v + g.oneOf("++", "--", " += 2", " ^= 5") + "\n"
		}
	case 3, 4, 5, 6, 7, 8:
		return g.useLogical()
	case 9, 10:
		return g.call()
	case 11:
		if g.chance(25) && !g.f.noPanic {
			return "if tr.Q(3) {\n" + g.t() + g.panicStmt() + "}\n"
		}
		if g.chance(25) && !g.f.noPanic {
			g.f.panics = true
			return "tr.E([]" + g.typ("int") + "{1, 2, 3, 4, 5}[tr.R(6)])\n"
		}
		return g.oneOf(";\n", "tr.Line()\n", "{\n}\n", "switch {\n}\n", "switch tr.Keep(); {\ndefault:\n}\n",
			"if one2(1, 2) { tr.Keep() } else { tr.Keep() }\n", "/* c */ tr.Line() /* c */ // c\n", "tr.E(`&&\n||`)\n", "{ type T int; var _ T; const C = 1 }\n")
	case 12:
		return "tr.Line()\n"
	case 13:
		return "func() { for i := range 2 { if one2(i, 1) && tr.Q(2) { continue }; tr.E(i) } }()\n"
	}
	return "tr.E(" + g.int(2) + ")\n"
}

// useLogical returns a statement with logical operations somewhere.
func (g *gen) useLogical() string {
	typ := g.oneOf("bool", "bool", "nb")
	x := g.logical(typ, true)
	typed := func(x string) string { // x may be untyped, if all of it is comparisons
		if typ == "nb" {
			return "NB(" + x + ")"
		}
		return x
	}
	switch g.IntN(14) {
	case 0:
		return "tr.E(" + x + ")\n"
	case 1:
		v := g.fresh("v")
		g.declare(v, typ, false)
		return v + " := " + typed(x) + "; _ = " + v + "\n"
	case 2:
		v := g.fresh("v")
		g.declare(v, typ, false)
		return "var " + v + " " + g.typ(typ) + " = " + x + "; _ = " + v + "\n"
	case 3:
		if v, ok := g.pick(typ, true); ok {
			return v + " = " + x + "\n"
		}
	case 4:
		return "tr.Keep(" + x + ", " + g.logical(g.oneOf("bool", "nb"), false) + ")\n"
	case 5:
		return "tr.E([]" + g.typ(typ) + "{" + x + ", " + g.logical(typ, false) + "})\n"
	case 6:
		return "tr.E(S{X: 1, B: NB(" + g.logical("nb", true) + ")})\n"
	case 7:
		v := g.fresh("v")
		return v + " := map[" + g.typ(typ) + "]" + g.typ("int") + "{}\n" + v + "[" + x + "]++\ntr.E(" + v + ")\n"
	case 8:
		return "var _ " + g.typ("any") + " = " + x + "\n"
	case 9:
		v, w := g.fresh("v"), g.fresh("v")
		s := v + ", " + w + " := " + typed(x) + ", " + typed(g.logical(typ, false)) + "\n_, _ = " + v + ", " + w + "\n"
		g.declare(v, typ, false)
		g.declare(w, typ, false)
		return s
	case 10:
		return "switch " + x + " {\ncase " + g.lit("true") + ":\n" + g.t() + "case " + g.lit("false") + ":\n" + g.t() + "}\n"
	case 11:
		return "tr.E([2]" + g.typ("int") + "{4, 5}[map[" + g.typ(typ) + "]" + g.typ("int") + "{" + g.lit("true") + ": 1}[" + x + "]])\n"
	case 12:
		v := g.fresh("v")
		return v + " := make(chan " + g.typ(typ) + ", 1)\n" + v + " <- " + x + "\ntr.E(<-" + v + ")\n"
	}
	if g.chance(30) {
		return "tr.E(!(" + x + ") == " + g.leafOf(typ) + ")\n"
	}
	return "tr.E(func(x " + g.typ(typ) + ") " + g.typ(typ) + " { return x || x && !x }(" + x + "))\n"
}

// call returns a call of an earlier function.
func (g *gen) call() string {
	for range min(6, len(g.funcs)) {
		c := g.funcs[g.IntN(len(g.funcs))]
		if c.seq > 0 || !g.affordable(c) {
			continue
		}
		call := c.name + "(" + g.args(c.params) + ")"
		s := call + "\n"
		if len(c.results) > 0 {
			s = "tr.Keep(" + call + ")\n"
			if g.chance(50) {
				var names []string
				for _, typ := range c.results {
					v := g.fresh("v")
					names = append(names, v)
					if !c.panics {
						g.declare(v, typ, false)
					}
				}
				list := strings.Join(names, ", ")
				s = list + " := " + call + "\ntr.E([]" + g.typ("any") + "{" + list + "})\n"
			}
		}
		if c.panics {
			if g.f.noPanic || g.chance(75) {
				s = "tr.Try(func() { " + strings.ReplaceAll(strings.TrimSpace(s), "\n", "; ") + " })\n"
			} else {
				g.f.panics = true
			}
		}
		g.f.cost += c.cost * g.f.mult
		return s
	}
	return g.t()
}
