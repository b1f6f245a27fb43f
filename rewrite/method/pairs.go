package method

import (
	"fmt"

	"github.com/goprofinstr/goprofinstr/rewrite/internal/emit"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Pairs count a path with the one before it in the activation, where the second of them is counted. What the first adds to
// their number is in a local variable. So it is of the activation, whatever calls itself or runs at the same time:
//
//	C[r+3]++; C[p+r+260]++; p = r*5 + 12; r = 7
//
// See table.Pairs for the numbers.
type Pairs struct {
	*table.Pairs
	Function *Function
	Counter  Counter // of pairs in arrays
}

// Declare returns the declaration of the variable, or "".
func (p Pairs) Declare(n *emit.Names) string {
	if !p.On() {
		return ""
	}
	return n.Sprintf("var %s $U;", n.Before)
}

// End returns what is done with pairs at the end of a path, in order.
func (p Pairs) End(n *emit.Names, op pathnum.Op, next pathnum.Next) (list []Code) {
	if !p.On() || op.Count == pathnum.NoCount {
		return nil
	}
	if next.Follows {
		list = append(list, p.count(n, op))
	}
	if p.Sets(op, next) {
		before := p.before(op, next)
		list = append(list, Code{fmt.Sprintf("%s=%s", n.Before, before), n.Sprintf("$Set(&%s,%s)==0", n.Before, before)})
	}
	return list
}

// Sets reports whether the end of a path changes the variable.
func (p Pairs) Sets(op pathnum.Op, next pathnum.Next) bool {
	return p.On() && op.Count != pathnum.NoCount && next.Start >= 0
}

// count counts the pair of the path that ends and the one before it.
func (p Pairs) count(n *emit.Names, op pathnum.Op) Code {
	number := p.Function.PathNumber(op)
	if p.Storage == table.StorageHash {
		return call(n, "$Pair", fmt.Sprintf("&%s[%d],%s,%s", n.Hashes, p.Hash, n.Before, number))
	}
	return p.Counter.Add(n.Sprintf("*$Word(&%s,%s+%s)", CounterOf(n, p.First), n.Before, number))
}

// before is what the path that ends adds to the number of the next pair.
func (p Pairs) before(op pathnum.Op, next pathnum.Next) string {
	factor, offset := p.Before(&p.Function.Numbering.Values, next.Start)
	offset += op.Inc * factor
	switch {
	case op.Count != pathnum.CountRegister:
		return fmt.Sprint(offset)
	case factor == 1:
		return p.Function.Register + Signed(offset, "+", "-")
	}
	return fmt.Sprintf("%s*%d%s", p.Function.Register, factor, Signed(offset, "+", "-"))
}
