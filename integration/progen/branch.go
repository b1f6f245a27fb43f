package progen

import (
	"fmt"
	"strings"
)

// Statements that choose: if, switch, select.

func (g *gen) ifStmt() string {
	return g.scoped(func() string {
		var b strings.Builder
		b.WriteString("if ")
		first := true
		switch g.IntN(10) {
		case 0:
			v := g.fresh("v")
			fmt.Fprintf(&b, "%s := %s; %s >= 0 || ", v, g.int(1), v)
			g.declare(v, "int", false)
			b.WriteString("\n")
		case 1:
			v := g.fresh("v")
			fmt.Fprintf(&b, "%s := %s; ", v, g.logical("bool", true))
			g.declare(v, "bool", false)
			b.WriteString(v + " != ")
			first = false
		case 2:
			b.WriteString("/* c */ ")
		}
		cond := g.leafOf("bool")
		if first {
			cond = g.condition(true)
		}
		b.WriteString(cond + " " + g.body())
		for g.chance(25) && g.f.budget > 0 {
			g.f.budget--
			b.WriteString(g.oneOf(" else if ", " /* c */ else /* c */ if ", " else if tr.Keep(1); ") + g.condition(true) + " " + g.body())
		}
		if g.chance(45) {
			b.WriteString(" else " + g.body())
		}
		return b.String() + "\n"
	})
}

func (g *gen) switchStmt() string {
	return g.scoped(func() string {
		return g.breakable(false, func() string {
			head := "switch "
			var value func() string
			switch g.IntN(6) {
			case 0:
				v := g.fresh("v")
				head += v + " := " + g.int(1) + "; " + v + " & 3"
				g.declare(v, "int", false)
			case 1:
				head += g.value("string")
				value = func() string { return g.oneOf("tr.E(`a`)", g.value("string")+"+tr.E(``)") }
			case 2:
				head += g.oneOf(g.lit("true"), "tr.Q(2)", g.operand("bool", false, true))
				value = func() string {
					if g.chance(50) {
						return g.logical("bool", false)
					}
					return g.leafOf("bool")
				}
			case 3:
				head += "map[" + g.typ("bool") + "]" + g.typ("int") + "{" + g.lit("true") + ": 2}[" + g.logical("bool", true) + "]"
			default:
				head += "tr.R(5)"
			}
			next := g.IntN(2)
			if value == nil {
				effects := g.chance(20)
				value = func() string {
					next++
					if effects {
						return fmt.Sprintf("tr.E(%d)", next-1)
					}
					return fmt.Sprint(next - 1)
				}
			}
			return head + " {\n" + g.clauses(1, value, true) + "}\n"
		})
	})
}

func (g *gen) taglessSwitch() string {
	return g.scoped(func() string {
		return g.breakable(false, func() string {
			head, first := "switch ", true
			if g.chance(20) {
				head += "tr.Keep(1); "
			}
			value := func() string {
				f := first
				first = false
				switch {
				case g.chance(15):
					return g.leafOf("bool")
				case g.chance(15):
					return "tr.E(" + g.leaf("bool") + ")"
				case g.chance(20):
					return "!(" + g.operand("bool", true, !f) + ")"
				}
				return g.logical("bool", !f)
			}
			if g.chance(15) {
				// Another type of condition: the values of the cases are compared with a named true.
				head += "NB(" + g.lit("true") + ") "
				value = func() string { return g.logical("nb", false) }
			}
			return head + "{\n" + g.clauses(1, value, true) + "}\n"
		})
	})
}

// clauses returns case clauses with up to three values each.
func (g *gen) clauses(_ int, value func() string, fall bool) string {
	n := g.IntN(5)
	def := -1
	if g.chance(55) && n > 0 {
		def = g.IntN(n)
	}
	var b strings.Builder
	for i := range n {
		if i == def {
			b.WriteString(g.oneOf("default:\n", "default /* c */ : ", "default: // c\n"))
		} else {
			list := []string{value()}
			for g.chance(25) && len(list) < 3 {
				list = append(list, value())
			}
			b.WriteString("case " + strings.Join(list, ",\n") + ":\n")
		}
		b.WriteString(g.list())
		if fall && i < n-1 && g.chance(15) {
			b.WriteString("fallthrough\n")
		}
	}
	return b.String()
}

func (g *gen) typeSwitch() string {
	return g.scoped(func() string {
		return g.breakable(false, func() string {
			types := []string{g.typ("int"), g.typ("string"), "NB", "float64", "[]" + g.typ("int"), g.typ("bool"), "interface{ M() }", "func()"}
			g.Shuffle(len(types), func(i, j int) { types[i], types[j] = types[j], types[i] })
			v, use := "", ""
			head := "switch "
			if g.chance(25) {
				w := g.fresh("v")
				head += w + " := " + g.value("any") + "; "
				v = w
			} else {
				v = g.value("any")
			}
			if g.chance(60) {
				x := g.fresh("v")
				head += x + " := " + v + ".(type) {\n"
				use = "tr.Keep(" + x + ")\n"
			} else {
				head += v + ".(type) {\n"
			}
			n := 1 + g.IntN(4)
			def := g.IntN(2*n + 1)
			var b strings.Builder
			b.WriteString(head)
			for i := range n {
				switch {
				case i == def:
					b.WriteString("default:\n")
				default:
					list := []string{types[2*i]}
					if g.chance(30) {
						list = append(list, types[2*i+1])
					}
					b.WriteString("case " + strings.Join(list, ", ") + ":\n")
				}
				b.WriteString(use + g.list())
			}
			if use != "" && n == 0 {
				return ""
			}
			return b.String() + "}\n"
		})
	})
}

func (g *gen) selectStmt() string {
	return g.scoped(func() string {
		var never string // declares a channel that is never ready
		c := g.fresh("c")
		never = "var " + c + " chan " + g.typ("int") + "; _ = " + c + "\n"
		s := g.breakable(false, func() string {
			ready := g.IntN(4)
			var clauses []string
			for range g.IntN(3) {
				comm := g.oneOf("<-"+c, c+" <- tr.E(1)", "_, _ = <-"+c, "_ = <-"+c)
				clauses = append(clauses, "case "+comm+":\n"+g.list())
			}
			var live string
			switch ready {
			case 0:
				live = "default:\n" + g.list()
			case 1:
				v := g.fresh("v")
				live = "case " + v + ", ok := <-tr.Closed(" + g.int(1) + "):\ntr.Keep(" + v + ", ok)\n" + g.list()
			case 2:
				live = "case tr.Closed2(" + g.int(0) + ") <- " + g.int(1) + ":\n" + g.list()
			default:
				live = "case <-tr.Closed(map[" + g.typ("bool") + "]" + g.typ("int") + "{" + g.lit("true") + ": 2}[" + g.logical("bool", false) + "]):\n" + g.list()
			}
			at := g.IntN(len(clauses) + 1)
			clauses = append(clauses[:at:at], append([]string{live}, clauses[at:]...)...)
			return "select {\n" + strings.Join(clauses, "") + "}\n"
		})
		return never + s
	})
}
