package progen

import "fmt"

// Statements that transfer control, and loops made of them.

// leave returns a statement that transfers control.
func (g *gen) leave() string {
	switch n := g.IntN(10); {
	case n < 3 && len(g.f.targets) > 0:
		return g.breakStmt()
	case n < 6 && len(g.f.targets) > 0:
		return g.continueStmt()
	case n < 8 && len(g.f.labels) > 0:
		l := g.f.labels[g.IntN(len(g.f.labels))]
		l.used = true
		return "goto " + l.name + "\n"
	case n == 8 && !g.f.noPanic && g.chance(30):
		return g.panicStmt()
	}
	return g.returnStmt()
}

func (g *gen) breakStmt() string {
	ts := g.f.targets
	if g.chance(50) {
		return "break\n"
	}
	t := ts[g.IntN(len(ts))]
	return "break " + g.name(t) + "\n"
}

func (g *gen) name(t *target) string {
	if t.label == "" {
		t.label = g.fresh("L")
	}
	return t.label
}

func (g *gen) continueStmt() string {
	var loops []*target
	for _, t := range g.f.targets {
		if t.loop {
			loops = append(loops, t)
		}
	}
	if len(loops) == 0 {
		return g.breakStmt()
	}
	if g.chance(50) {
		return "continue\n"
	}
	return "continue " + g.name(loops[g.IntN(len(loops))]) + "\n"
}

func (g *gen) panicStmt() string {
	g.f.panics = true
	if g.shadow["panic"] {
		return g.oneOf("panic(tr.E(1))\n", "") + "var gpi_0 []" + g.typ("int") + "\ngpi_0[0]++\n" + g.returnStmt()
	}
	return "panic(" + g.value("any") + ")\n"
}

// breakable runs body as that of a statement to which break and continue can refer, and
// puts its label in front.
func (g *gen) breakable(loop bool, body func() string) string {
	t := &target{loop: loop}
	g.f.targets = append(g.f.targets, t)
	s := body()
	g.f.targets = g.f.targets[:len(g.f.targets)-1]
	if t.label != "" {
		return t.label + ":" + g.oneOf("\n", " ", " /* c */ ", "// c\n") + s
	}
	return s
}

// gotoLoop returns loops made of gotos, with one entry or two.
func (g *gen) gotoLoop() string {
	return g.scoped(func() string {
		n, l, m := g.fresh("n"), g.fresh("G"), g.fresh("G")
		g.declare(n, "int", true)
		s := fmt.Sprintf("%s := %d\n", n, 1+g.IntN(3))
		if g.chance(50) {
			s += "if " + g.condition(true) + " {\n" + g.t() + "goto " + m + "\n}\n"
		} else if g.chance(50) {
			s += "goto " + m + "\n"
		} else {
			s += "switch {\ncase " + g.logical("bool", false) + ":\n" + g.t() + "goto " + m + "\n}\n"
		}
		back := func() string {
			c := g.condition(true)
			return "if " + n + "--; " + n + " >= 0 && (\n" + c + ") {\n" + g.t() + "goto " + l + "\n}\n"
		}
		return s + g.times(4, func() string {
			s := l + ":" + g.oneOf("\n", " ") + g.t() + g.block() + g.t()
			s += m + ":\n" + g.t() + g.block() + g.t() + back()
			if g.chance(40) {
				s += g.t() + "if " + n + "--; " + n + " >= 0 {\n" + g.t() + "goto " + g.oneOf(l, m) + "\n}\n"
			}
			return s
		})
	})
}
