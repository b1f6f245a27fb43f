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
// Where pairs are in a hash table, a cache leads to the counts of those that were executed last:
//
//	C[r+3]++; if !rt.Again(&Q[0],p+r) { rt.Pair(&Q[0],&H[2],p,r) }; p = r*1684 + 1685; r = 7
//
// See table.Pairs for the numbers.
type Pairs struct {
	*table.Pairs
	Function *Function
	Counter  Counter // of pairs in arrays
	Cache    int     // index of the cache in the package, of pairs in a hash table
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
		before := p.before(n, op, next)
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
	if p.Folded {
		number = n.Sprintf("$Folded(%s)", number)
	}
	if p.Storage == table.StorageHash {
		return p.countHashed(n, number)
	}
	return p.Counter.Add(n.Sprintf("*$Word(&%s,%s+%s)", CounterOf(n, p.First), n.Before, number))
}

// countHashed counts the pair of a path with this number and the one before it, in a hash table.
func (p Pairs) countHashed(n *emit.Names, number string) Code {
	cache := fmt.Sprintf("&%s[%d]", n.Caches, p.Cache)
	again := n.Sprintf("$AgainAtomic(%s,%s+%s)", cache, n.Before, number)
	if e, ok := p.Counter.(*exact); ok && e.inLine() {
		again = n.Sprintf("$Again(%s,%s+%s)", cache, n.Before, number)
	}
	pair := call(n, "$Pair", fmt.Sprintf("%s,&%s[%d],%s,%s", cache, n.Hashes, p.Hash, n.Before, number))
	return Code{
		fmt.Sprintf("if !%s{%s}", again, pair.Statement),
		n.Sprintf("(%s==$Found||%s)", again, pair.Expression), // comparisons are of any boolean type
	}
}

// before is what the path that ends adds to the number of the next pair.
func (p Pairs) before(n *emit.Names, op pathnum.Op, next pathnum.Next) string {
	if p.Folded {
		return n.Sprintf("$FoldedBefore(%s)", p.Function.PathNumber(op))
	}
	factor, offset := p.Before(&p.Function.Numbering.Values, next.Start)
	if offset += op.Inc * factor; p.Storage == table.StorageHash {
		offset++ // as the keys of hash tables have it
	}
	switch {
	case op.Count != pathnum.CountRegister:
		return fmt.Sprint(offset)
	case factor == 1:
		return p.Function.Register + Signed(offset, "+", "-")
	}
	return fmt.Sprintf("%s*%d%s", p.Function.Register, factor, Signed(offset, "+", "-"))
}
