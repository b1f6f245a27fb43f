package progen

import "strings"

// list returns a statement list.
func (g *gen) list() string {
	return g.scoped(func() string {
		if g.chance(3) {
			return ""
		}
		g.f.depth++
		defer func() { g.f.depth-- }()
		var b strings.Builder
		b.WriteString(g.t())
		n := 1 + g.IntN(3)
		if g.f.depth == 1 {
			n = 4 + g.IntN(8)
		}
		for i := 0; i < n && g.f.budget > 0; i++ {
			g.f.budget--
			b.WriteString(g.stmt())
			if g.chance(97) {
				b.WriteString(g.t())
			}
		}
		if g.f.depth > 1 && g.chance(30) {
			b.WriteString(g.leave())
			if g.chance(15) {
				b.WriteString(g.t()) // dead
				if g.f.budget > 0 && g.chance(50) {
					g.f.budget--
					b.WriteString(g.stmt())
				}
			}
		}
		return b.String()
	})
}

// body returns a statement list in braces that starts on the same line.
func (g *gen) body() string {
	switch g.IntN(30) {
	case 0:
		return "{ // c\n" + g.list() + "}"
	case 1:
		return "{ /* c */ ;\n" + g.list() + "}"
	case 2:
		return "{\n\n/* c\nc */\n" + g.list() + "\n}"
	}
	return "{\n" + g.list() + "}"
}

// stmt returns a statement, or a few that belong together.
func (g *gen) stmt() string {
	if g.f.depth >= maxDepth || g.f.cost > maxCost {
		return g.simple()
	}
	if g.chance(6) {
		l := &label{name: g.fresh("G")}
		g.f.labels = append(g.f.labels, l)
		s := g.scoped(g.compound)
		g.f.labels = g.f.labels[:len(g.f.labels)-1]
		if l.used {
			return "{\n" + s + "}\n" + l.name + ":\n" + g.t()
		}
		return "{\n" + s + "}\n"
	}
	if g.chance(60) {
		return g.compound()
	}
	return g.simple()
}

func (g *gen) compound() string {
	switch g.IntN(24) {
	case 0, 1, 2, 3, 4:
		return g.ifStmt()
	case 5, 6, 7:
		return g.forStmt()
	case 8, 9, 10, 11:
		return g.rangeStmt()
	case 12, 13:
		return g.switchStmt()
	case 14, 15:
		return g.taglessSwitch()
	case 16:
		return g.typeSwitch()
	case 17:
		return g.selectStmt()
	case 18:
		return g.gotoLoop()
	case 19:
		return g.capture()
	case 20, 21:
		return g.closure()
	case 22:
		return g.body() + "\n"
	}
	return g.deferStmt()
}

func (g *gen) block() string {
	g.f.budget--
	if g.chance(40) {
		return g.t()
	}
	return "{\n" + g.list() + "}\n"
}
