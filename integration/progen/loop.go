package progen

import (
	"fmt"
	"strings"
)

// Loops: for, range, and those whose variable is captured.

// A counter is a loop that counts its iterations in a variable.
type counter struct {
	*gen
	n string // the variable
	k int    // iterations
}

// forStmt returns a for statement of each form that the grammar has, and a few of each.
func (g *gen) forStmt() string {
	return g.scoped(func() string {
		c := &counter{gen: g, k: 1 + g.IntN(3)}
		c.n = g.fresh("n")
		form := g.IntN(10)
		g.declare(c.n, "int", true)
		switch form {
		case 0:
			return c.loop(fmt.Sprintf("for %s := 0; %s < %d; %s++ ", c.n, c.n, c.k, c.n))
		case 1:
			cond := c.traced(c.n+" < "+fmt.Sprint(c.k)) + " && \n" + c.header(func() string { return g.logical("bool", true) })
			return c.loop(fmt.Sprintf("for %s := 0; %s; %s++ ", c.n, cond, c.n))
		case 2:
			return c.start() + c.counted("for ")
		case 3:
			return c.start() + c.counted("for "+c.header(func() string { return g.condition(true) })+" ")
		case 4:
			return c.pair()
		case 5:
			return c.start() + c.loop("for ; "+c.traced(c.n+" > 0")+"; "+c.n+"-- ")
		case 6:
			return c.start() + c.loop(fmt.Sprintf("for ; %s > 0; func() { %s-- }() ", c.n, c.n))
		case 7:
			return c.start() + c.counted("for ; ; tr.Keep("+c.header(func() string { return g.logical("bool", false) })+") ")
		case 8:
			return c.flagged()
		}
		return c.start() + c.counted("for ; ; tr.Keep() ")
	})
}

// start declares the variable in front of a loop that counts down.
func (c *counter) start() string { return fmt.Sprintf("%s := %d\n", c.n, c.k) }

// header generates something that is executed before each iteration and after the last.
func (c *counter) header(generate func() string) string { return c.times(c.k+1, generate) }

// loop returns a loop whose header counts.
func (c *counter) loop(head string) string {
	return c.breakable(true, func() string {
		return c.header(func() string { return head + c.body() + "\n" })
	})
}

// counted returns a loop whose body counts, and leaves it.
func (c *counter) counted(head string) string {
	return c.breakable(true, func() string {
		return c.header(func() string {
			end := c.oneOf("break", "break", "continue")
			if end == "continue" {
				end = c.returnStmt()
			}
			return head + "{\n" + c.t() + "if " + c.n + "--; " + c.n + " < 0 {\n" + c.t() + end + "\n}\n" + c.list() + "}\n"
		})
	})
}

// traced returns a condition that says how it comes out.
func (c *counter) traced(cond string) string {
	c.f.cost += c.f.mult * (c.k + 1)
	id := c.nextID()
	return fmt.Sprintf("tr.B(%s, %d, %s)/*+%d*/", c.f.act, id, cond, id)
}

// pair returns a loop with two variables.
func (c *counter) pair() string {
	m := c.fresh("n")
	c.declare(m, "int", true)
	return c.loop(fmt.Sprintf("for %s, %s := 0, %d; %s; %s, %s = %s+1, %s+0 ", c.n, m, c.k, c.traced(c.n+" != "+m), c.n, m, c.n, m))
}

// flagged returns a loop that a condition in its post statement may end.
func (c *counter) flagged() string {
	m := c.fresh("n")
	c.declare(m, "bool", true)
	post := c.header(func() string { return c.logical("bool", false) })
	return c.loop(fmt.Sprintf("for %s, %s := 0, true; %s && %s < %d;\n%s, %s = %s+1, %s ", c.n, m, c.traced(m), c.n, c.k, c.n, m, c.n, post))
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
