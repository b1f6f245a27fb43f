package progen

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// The bounds that keep programs small and their runs short.
const (
	maxCost   = 400 // trace events of one call of a function, loops and calls counted at their most
	maxBudget = 24  // statements of a function
	maxDepth  = 5   // of nested statements
)

// gen generates the source of one package.
type gen struct {
	*rand.Rand
	pkg    string
	id     int             // last id given out, unique in the program
	shadow map[string]bool // predeclared names that are redeclared here
	funcs  []*callee       // functions that code generated later may call
	decls  strings.Builder
	leaks  bool   // coroutines may be left waiting at the end of the program
	f      *frame // function being generated
}

// callee is a function that can be called.
type callee struct {
	name    string // as it stands before the parenthesis
	params  []string
	results []string
	cost    int // of a call, in trace events
	panics  bool
	exits   bool // may end its goroutine
	seq     int  // if it returns an iterator: 1 + number of its values
}

// frame is the state of one function or function literal.
type frame struct {
	act     string // variable that holds the activation
	results []string
	named   []string // names of the results, if they have any
	vars    []variable
	targets []*target
	labels  []*label
	mult    int // how often a statement here is executed at most, for a call of the outermost function
	cost    int
	budget  int
	depth   int
	panics  bool // a panic may leave it
	noPanic bool // must not happen: nothing would recover it
	mayExit bool // it is in a goroutine of its own, which may end here
}

type variable struct {
	name, typ string
	fixed     bool // not to be assigned to
}

// target is a statement that break and continue can refer to.
type target struct {
	label string // "" until it is used
	loop  bool
}

// label is a target of goto.
type label struct {
	name string
	used bool
}

func (g *gen) chance(percent int) bool { return g.IntN(100) < percent }

func (g *gen) oneOf(list ...string) string { return list[g.IntN(len(list))] }

func (g *gen) nextID() int {
	g.id++
	return g.id
}

// fresh returns a new name.
func (g *gen) fresh(prefix string) string {
	if g.chance(2) {
		prefix = "gpi_" + prefix
	}
	return fmt.Sprintf("%s%d", prefix, g.nextID())
}

// typ returns how a type is written here.
func (g *gen) typ(t string) string {
	if t == "nb" {
		return "NB"
	}
	if g.shadow[t] {
		return "tr." + strings.ToUpper(t[:1]) + t[1:]
	}
	return t
}

// lit returns how a predeclared boolean is written here.
func (g *gen) lit(name string) string {
	if g.shadow[name] {
		return "tr." + strings.ToUpper(name[:1]) + name[1:]
	}
	return name
}

// spend accounts for one trace event.
func (g *gen) spend() { g.f.cost += g.f.mult }

// t returns a traced statement.
func (g *gen) t() string {
	g.spend()
	return fmt.Sprintf("tr.T(%s, %d)\n", g.f.act, g.nextID())
}

func (g *gen) pick(typ string, assign bool) (string, bool) {
	var names []string
	for _, v := range g.f.vars {
		if v.typ == typ && !(assign && v.fixed) {
			names = append(names, v.name)
		}
	}
	if len(names) == 0 {
		return "", false
	}
	return names[g.IntN(len(names))], true
}

func (g *gen) declare(name, typ string, fixed bool) {
	g.f.vars = append(g.f.vars, variable{name, typ, fixed})
}

// scoped runs body and forgets the variables that it declared.
func (g *gen) scoped(body func() string) string {
	n := len(g.f.vars)
	defer func() { g.f.vars = g.f.vars[:n] }()
	return body()
}

// times runs body as one whose code is executed up to n times as often.
func (g *gen) times(n int, body func() string) string {
	m := g.f.mult
	g.f.mult *= n
	defer func() { g.f.mult = m }()
	return body()
}

// Expressions.

// value returns an expression of type typ without a branch in it.
func (g *gen) value(typ string) string {
	switch typ {
	case "int":
		return g.int(2)
	case "bool":
		return g.leaf("bool")
	case "nb":
		return g.leaf("nb")
	case "string":
		if v, ok := g.pick("string", false); ok && g.chance(60) {
			return v
		}
		return g.oneOf(`"a"`, `"é{}"`, "`r&&`", `"//x"`, `"\xff"`)
	case "any":
		return fmt.Sprintf("[]%s{%s, %s, NB(%s), 2.5, []%s{1}, %s}[tr.R(6)]",
			g.typ("any"), g.int(1), g.value("string"), g.lit("true"), g.typ("int"), g.leaf("bool"))
	}
	panic("BUG: type " + typ)
}

func (g *gen) int(depth int) string {
	if v, ok := g.pick("int", false); ok && g.chance(40) {
		return v
	}
	if depth == 0 {
		return fmt.Sprint(g.IntN(7))
	}
	x, y := g.int(depth-1), g.int(depth-1)
	switch g.IntN(9) {
	case 0:
		return fmt.Sprintf("(%s + %s)", x, y)
	case 1:
		return fmt.Sprintf("(%s*%s&63)", x, y)
	case 2:
		return fmt.Sprintf("tr.E(%s)", x)
	case 3:
		return fmt.Sprintf("tr.R(%d)", 1+g.IntN(5))
	case 4:
		return fmt.Sprintf("[...]%s{%s, 1, %s, 3}[%s&3]", g.typ("int"), x, y, g.int(0))
	case 5:
		return fmt.Sprintf("func(x %s) %s { return x ^ %s }(%s)", g.typ("int"), g.typ("int"), x, y)
	case 6:
		return fmt.Sprintf("one1(%s, %s)", x, y)
	case 7:
		return "-" + g.int(0)
	}
	return fmt.Sprint(g.IntN(7))
}

// leaf returns a boolean expression without && and ||.
func (g *gen) leaf(typ string) string {
	if v, ok := g.pick(typ, false); ok && g.chance(25) {
		return v
	}
	s := ""
	switch g.IntN(5) {
	case 0:
		s = g.int(1) + " " + g.oneOf("<", ">", "==", "!=", "<=") + " " + g.int(1)
	case 1:
		s = "one2(" + g.int(1) + ", " + g.int(0) + ")"
	case 2:
		s = "tr.E(" + g.int(1) + " > " + g.int(1) + ")"
	default:
		s = fmt.Sprintf("tr.Q(%d)", 2+g.IntN(2))
	}
	if typ == "nb" {
		return "NB(" + s + ")"
	}
	return s
}

// operand returns an operand of a logical operation, traced if it may be. It has no line break in it.
func (g *gen) operand(typ string, negated, traceable bool) string {
	if !traceable || g.chance(8) {
		s := g.leaf(typ)
		if strings.Contains(s, " ") && g.chance(50) {
			return "(" + s + ")"
		}
		return s
	}
	g.spend()
	id := g.nextID()
	call := fmt.Sprintf("tr.B(%s, %d, %s)", g.f.act, id, g.leaf(typ))
	if g.chance(8) {
		return fmt.Sprintf("%s/*=%d*/ %s %s", call, id, g.oneOf("==", "!="), g.leafOf(typ))
	}
	sign := "+"
	if negated {
		sign = "-"
	}
	return fmt.Sprintf("%s/*%s%d*/", call, sign, id)
}

// leafOf is leaf where a comparison would bind wrongly.
func (g *gen) leafOf(typ string) string { return "(" + g.leaf(typ) + ")" }

// logical returns an expression with && or || in it. traceable tells that
// its first operand is evaluated in a block that has a place of its own.
func (g *gen) logical(typ string, traceable bool) string {
	return g.tree(typ, 1+g.IntN(3), false, traceable, true)
}

func (g *gen) tree(typ string, depth int, negated, traceable, must bool) string {
	if depth == 0 || !must && g.chance(40) {
		if g.chance(15) {
			s := g.operand(typ, !negated, traceable)
			if strings.HasSuffix(s, "*/") {
				return "!" + s
			}
			return "!(" + s + ")"
		}
		return g.operand(typ, negated, traceable)
	}
	if g.chance(15) {
		return "!(" + g.tree(typ, depth, !negated, traceable, true) + ")"
	}
	if g.chance(6) {
		c := g.oneOf("debug && ", "!debug || ", "(debug || !debug) && ")
		if strings.HasPrefix(c, "!") {
			return "(" + c + "\n" + g.tree(typ, depth-1, negated, false, false) + ")"
		}
		return "(" + c + "\n" + g.tree(typ, depth-1, negated, true, false) + ")"
	}
	x := g.tree(typ, depth-1, negated, traceable, false)
	y := g.tree(typ, depth-1, negated, true, false)
	op := g.oneOf("&&", "||")
	c := g.oneOf("", "", "", "", " // c", " /* c */")
	return "(" + x + " " + op + c + "\n" + y + ")"
}

// condition returns the condition of an if or for statement.
func (g *gen) condition(traceable bool) string {
	switch {
	case g.chance(4):
		return g.oneOf("debug", "!debug", "debug && one2(1, 2)", "debug || !debug")
	case g.chance(45):
		typ := g.oneOf("bool", "bool", "nb")
		s := g.logical(typ, traceable)
		if g.chance(50) && strings.HasPrefix(s, "(") {
			return strip(s)
		}
		return s
	case g.chance(20):
		return "!(" + g.operand("bool", true, traceable) + ")"
	}
	return g.operand(g.oneOf("bool", "bool", "nb"), false, traceable)
}

// strip takes the outer parentheses off.
func strip(s string) string {
	depth := 0
	for i, c := range s {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 && i < len(s)-1 {
				return s
			}
		}
	}
	return s[1 : len(s)-1]
}

// result returns an expression for a return statement.
func (g *gen) result(typ string, first bool) (s string, logical bool) {
	switch {
	case (typ == "bool" || typ == "nb") && g.chance(45):
		return g.logical(typ, first), true
	case typ == "any" && g.chance(30):
		return g.logical(g.oneOf("bool", "nb"), first), true
	case typ == "int" && g.chance(6):
		return "map[" + g.typ("bool") + "]" + g.typ("int") + "{" + g.lit("true") + ": 1}[" + g.logical("bool", first) + "]", true
	}
	return g.value(typ), false
}

func (g *gen) returnStmt() string {
	if len(g.f.results) == 0 || len(g.f.named) > 0 && g.chance(30) {
		return "return\n"
	}
	var list []string
	first := true
	for _, typ := range g.f.results {
		s, logical := g.result(typ, first)
		first = first && !logical
		list = append(list, s)
	}
	return "return " + strings.Join(list, ", ") + "\n"
}

// args returns arguments of the types params.
func (g *gen) args(params []string) string {
	var list []string
	for _, p := range params {
		list = append(list, g.value(p))
	}
	return strings.Join(list, ", ")
}
