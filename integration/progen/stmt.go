package progen

import (
	"fmt"
	"strings"
)

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

func (g *gen) forStmt() string {
	return g.scoped(func() string {
		k := 1 + g.IntN(3)
		n := g.fresh("n")
		loop := func(head string) string {
			return g.breakable(true, func() string {
				return g.times(k+1, func() string { return head + g.body() + "\n" })
			})
		}
		counted := func(head string) string { // counts in the body
			return g.breakable(true, func() string {
				return g.times(k+1, func() string {
					end := g.oneOf("break", "break", "continue")
					if end == "continue" {
						end = g.returnStmt()
					}
					return head + "{\n" + g.t() + "if " + n + "--; " + n + " < 0 {\n" + g.t() + end + "\n}\n" + g.list() + "}\n"
				})
			})
		}
		traced := func(cond string) string {
			g.f.cost += g.f.mult * (k + 1)
			id := g.nextID()
			return fmt.Sprintf("tr.B(%s, %d, %s)/*+%d*/", g.f.act, id, cond, id)
		}
		switch g.IntN(10) {
		case 0:
			g.declare(n, "int", true)
			return loop(fmt.Sprintf("for %s := 0; %s < %d; %s++ ", n, n, k, n))
		case 1:
			g.declare(n, "int", true)
			cond := traced(n+" < "+fmt.Sprint(k)) + " && \n" + g.times(k+1, func() string { return g.logical("bool", true) })
			return loop(fmt.Sprintf("for %s := 0; %s; %s++ ", n, cond, n))
		case 2:
			g.declare(n, "int", true)
			return fmt.Sprintf("%s := %d\n", n, k) + counted("for ")
		case 3:
			g.declare(n, "int", true)
			return fmt.Sprintf("%s := %d\n", n, k) + counted("for "+g.times(k+1, func() string { return g.condition(true) })+" ")
		case 4:
			g.declare(n, "int", true)
			m := g.fresh("n")
			g.declare(m, "int", true)
			return loop(fmt.Sprintf("for %s, %s := 0, %d; %s; %s, %s = %s+1, %s+0 ", n, m, k, traced(n+" != "+m), n, m, n, m))
		case 5:
			g.declare(n, "int", true)
			return fmt.Sprintf("%s := %d\n", n, k) + loop("for ; "+traced(n+" > 0")+"; "+n+"-- ")
		case 6:
			g.declare(n, "int", true)
			return fmt.Sprintf("%s := %d\n", n, k) + loop(fmt.Sprintf("for ; %s > 0; func() { %s-- }() ", n, n))
		case 7:
			g.declare(n, "int", true)
			return fmt.Sprintf("%s := %d\n", n, k) + counted("for ; ; tr.Keep("+g.times(k+1, func() string { return g.logical("bool", false) })+") ")
		case 8:
			g.declare(n, "int", true)
			m := g.fresh("n")
			g.declare(m, "bool", true)
			post := g.times(k+1, func() string { return g.logical("bool", false) })
			return loop(fmt.Sprintf("for %s, %s := 0, true; %s && %s < %d;\n%s, %s = %s+1, %s ", n, m, traced(m), n, k, n, m, n, post))
		}
		g.declare(n, "int", true)
		return fmt.Sprintf("%s := %d\n", n, k) + counted("for ; ; tr.Keep() ")
	})
}

// rangeStmt returns a range statement over something of up to three elements.
func (g *gen) rangeStmt() string { return g.rangeOver(g.rangeable) }

func (g *gen) rangeOver(rangeable func() (x string, kinds []string)) string {
	return g.scoped(func() string {
		x, kinds := rangeable()
		var names []string
		head := "for "
		n := g.IntN(len(kinds) + 1)
		assign := false
		if n == 1 && kinds[0] == "int" && g.chance(15) {
			if v, ok := g.pick("int", true); ok {
				names, assign = []string{v}, true
			}
		}
		if !assign {
			for i := range n {
				if i == 0 && n == 2 && g.chance(30) {
					names = append(names, "_")
					continue
				}
				names = append(names, g.fresh("v"))
			}
		}
		if n > 0 {
			head += strings.Join(names, ", ") + g.oneOf(" := ", " /* c */ := ")
			if assign {
				head = strings.ReplaceAll(head, ":=", "=")
			}
		}
		head += "range " + x + " "
		return g.breakable(true, func() string {
			return g.times(4, func() string {
				use := ""
				if !assign {
					for i, v := range names {
						if v != "_" {
							use += "tr.Keep(" + v + "); "
							if kinds[i] != "" {
								g.declare(v, kinds[i], false)
							}
						}
					}
				}
				return head + "{ " + use + "\n" + g.list() + "}\n"
			})
		})
	})
}

// rangeable returns an expression to range over and the types of its values, "" for those of no use.
func (g *gen) rangeable() (x string, kinds []string) {
	typ := g.typ("int")
	switch g.IntN(13) {
	case 0:
		return "[]" + typ + "{" + g.int(1) + ", 2, 3}", []string{"int", "int"}
	case 1:
		return "[3]" + typ + "{" + g.int(1) + ", 2}", []string{"int", "int"}
	case 2:
		return "&[2]" + typ + "{" + g.int(1) + ", 2}", []string{"int", "int"}
	case 3:
		return `"aé\xff"`, []string{"int", ""}
	case 4:
		return "map[" + typ + "]" + typ + "{" + g.int(1) + ": 2}", []string{"int", "int"}
	case 5:
		return "tr.Closed(" + g.int(1) + ", 2, 3)", []string{"int"}
	case 6:
		return fmt.Sprint(g.IntN(4)), []string{"int"}
	case 7:
		return "uint8(tr.R(4))", []string{""}
	case 8:
		return "map[" + g.typ("bool") + "]" + typ + "{" + g.lit("true") + ": 2}[one2(tr.R(3), 1) && tr.Q(2)]", []string{"int"}
	case 9:
		return "tr.R(4)", []string{"int"}
	}
	if c := g.iteratorOf(0); c != nil {
		return g.overFunc(c)
	}
	return "3", []string{"int"}
}

// overFunc returns an expression for an iterator to range over and the types of its values.
func (g *gen) overFunc(c *callee) (x string, kinds []string) {
	return c.name + "(" + g.args(c.params) + "&3)", []string{"int", "int"}[:c.seq-1]
}

func (g *gen) affordable(c *callee) bool {
	return g.f.cost+c.cost*g.f.mult <= 2*maxCost
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

func (g *gen) block() string {
	g.f.budget--
	if g.chance(40) {
		return g.t()
	}
	return "{\n" + g.list() + "}\n"
}

// capture returns a loop whose variable is captured by function literals.
func (g *gen) capture() string {
	return g.scoped(func() string {
		typ := g.typ("int")
		fs, i := g.fresh("v"), g.fresh("v")
		s := fmt.Sprintf("var %s [3]func() %s\nfor i := range %s {\n%s%s[i] = func() %s { return 7 }\n}\n", fs, typ, fs, g.times(4, g.t), fs, typ)
		head := g.oneOf(
			fmt.Sprintf("for %s := 0; %s < 3; %s++ ", i, i, i),
			fmt.Sprintf("for %s := range 3 ", i),
			fmt.Sprintf("for %s := range []%s{0, 1, 2} ", i, typ),
			fmt.Sprintf("for %s, j := 0, 3; %s < 3 && j > 0; %s, j = %s+1, j-1 ", i, i, i, i),
		)
		s += g.breakable(true, func() string {
			return g.times(4, func() string {
				g.declare(i, "int", true)
				capture := fmt.Sprintf("%s[%s] = func() %s {\n", fs, i, typ) + g.function(&frame{results: []string{"int"}}, func() string {
					return g.t() + i + " += 10\n" + "return " + i + "\n"
				}) + "}\n"
				return head + "{\n" + g.t() + capture + g.list() + "}\n"
			})
		})
		return s + fmt.Sprintf("for _, fn := range %s {\n%str.E(fn())\n}\n", fs, g.times(4, g.t))
	})
}

// function generates what is inside the braces of a function with the frame f. Variables of
// the enclosing function are in its scope.
func (g *gen) function(f *frame, body func() string) string {
	outer := g.f
	f.mult, f.budget = 1, maxBudget
	if outer != nil {
		f.mult, f.cost, f.budget = outer.mult, outer.cost, outer.budget
		f.vars = append(f.vars, outer.vars...)
		f.depth = min(outer.depth, maxDepth-2)
		if !f.noPanic {
			f.noPanic = outer.noPanic
		}
		f.mayExit = f.mayExit || outer.mayExit
	}
	f.act = g.fresh("a")
	g.f = f
	g.spend()
	s := fmt.Sprintf("%s := tr.Enter(%d)\n_ = %s\n", f.act, g.nextID(), f.act) + body()
	g.f = outer
	if outer != nil {
		outer.cost, outer.budget = f.cost, f.budget
		outer.panics = outer.panics || f.panics
	}
	return s
}

// recovering is the start of a function that recovers panics.
func (g *gen) recovering() string {
	if g.shadow["recover"] {
		return ""
	}
	named := ""
	if len(g.f.named) > 0 && g.chance(60) {
		named = g.f.named[0] + " = " + g.value(g.f.results[0]) + "\n"
	}
	return "defer func() {\n" + g.function(&frame{noPanic: true}, func() string {
		return "if v := recover(); v != nil" + g.oneOf("", " && \n"+g.operand("bool", false, true), " && (debug || v == nil || v != nil)") + " {\n" + g.t() + named + "}\n" + g.t()
	}) + "}()\n"
}

// closure returns function literals, called here.
func (g *gen) closure() string {
	typ := g.typ("int")
	switch g.IntN(9) {
	case 0: // called directly
		return "func() {\n" + g.function(&frame{}, g.list) + "}()\n"
	case 1: // as an operand
		v := g.fresh("v")
		x := g.fresh("x")
		s := v + " := 1 + func(" + x + " " + typ + ") " + typ + " {\n" + g.function(&frame{results: []string{"int"}, vars: []variable{{x, "int", false}}}, func() string {
			return g.list() + g.t() + g.returnStmt()
		}) + "}(" + g.int(1) + ")\ntr.E(" + v + ")\n"
		g.declare(v, "int", false)
		return s
	case 2: // recursive
		v, n := g.fresh("v"), g.fresh("n")
		return "var " + v + " func(" + n + " " + typ + ") " + typ + "\n" + v + " = func(" + n + " " + typ + ") " + typ + " {\n" +
			g.times(4, func() string {
				return g.function(&frame{results: []string{"int"}, vars: []variable{{n, "int", true}}}, func() string {
					return "if " + n + " <= 0 {\n" + g.t() + g.returnStmt() + "}\n" + g.list() + g.t() + "return " + v + "(" + n + "-1) + 1\n"
				})
			}) + "}\ntr.E(" + v + "(3))\n"
	case 3: // with results of which one is logical
		v, w := g.fresh("v"), g.fresh("v")
		s := v + ", " + w + " := func() (" + typ + ", " + g.typ("bool") + ") {\n" + g.function(&frame{results: []string{"int", "bool"}}, func() string {
			return g.list() + g.t() + g.returnStmt()
		}) + "}()\ntr.E(" + v + ")\ntr.E(" + w + ")\n"
		g.declare(v, "int", false)
		g.declare(w, "bool", false)
		return s
	case 4: // in a goroutine that ends early
		return "tr.Go(func() {\n" + g.function(&frame{noPanic: true, mayExit: true}, func() string {
			return g.deferred() + "if " + g.condition(true) + " {\n" + g.t() + "runtime.Goexit()\n}\n" + g.list()
		}) + "})\n"
	case 5: // in a composite literal
		v := g.fresh("v")
		return v + " := []func() " + g.typ("bool") + "{func() " + g.typ("bool") + " {\n" + g.function(&frame{results: []string{"bool"}}, func() string {
			return g.list() + g.t() + g.returnStmt()
		}) + "}}\ntr.E(" + v + "[0]())\n"
	}
	if g.chance(60) && !g.shadow["recover"] {
		return g.recovered()
	}
	panics := g.f.panics
	s := "tr.Try(func() {\n" + g.function(&frame{}, func() string {
		g.f.noPanic = false
		return g.list() + g.t() + g.oneOf("", "", "var m map[float64]"+typ+"\nm[1]++\n")
	}) + "})\n"
	g.f.panics = panics
	return s
}

// recovered returns the call of a function literal that ranges over an iterator, and recovers what that
// panics with; or ends its goroutine.
func (g *gen) recovered() string {
	start, end := g.oneOf("func() {\n", "func() {\n", "tr.Go(func() {\n"), "}()\n"
	f := &frame{mayExit: g.f.mayExit}
	if strings.HasPrefix(start, "tr.Go") {
		f.mayExit, end = true, "})\n"
	}
	outer := *g.f
	s := start + g.function(f, func() string {
		g.f.noPanic = false
		s := g.recovering()
		if g.chance(30) {
			s += g.t()
		}
		for range 1 + g.IntN(2) {
			s += g.rangeOver(func() (x string, kinds []string) {
				if c := g.iteratorOf(0); c != nil {
					return g.overFunc(c)
				}
				return g.rangeable()
			}) + g.t()
		}
		return s
	}) + end
	g.f.panics = outer.panics
	return s
}

func (g *gen) deferred() string {
	return "defer func() {\n" + g.function(&frame{}, func() string {
		g.f.depth = maxDepth - 1
		return g.list()
	}) + "}()\n"
}

func (g *gen) deferStmt() string {
	switch g.IntN(4) {
	case 0:
		return "defer tr.E(" + g.int(1) + ")\n"
	case 1:
		return "defer tr.Keep(" + g.logical("bool", true) + ")\n"
	}
	return g.deferred()
}

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
