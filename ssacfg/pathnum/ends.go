// Ends: not in BL. They bound the numbers of the paths that others follow (D'Elia & Demetrescu, OOPSLA 2013).

package pathnum

// A Span is the numbers from Low to High.
type Span struct{ Low, High uint64 }

// Ends returns, for each of Values.Starts, the least span with the numbers of all paths that end with a cut edge to it.
// Paths that end elsewhere may have numbers in it, too.
func (n *Numbering) Ends() []Span {
	g := n.Graph
	order, err := topological(g.Blocks, g.Edges, n.Cut)
	if err != nil {
		panic("BUG: a numbering with a cycle: " + err.Error())
	}
	before := make([]*Span, g.Blocks) // of the values of paths up to each block
	before[g.Entry] = &Span{}
	for _, s := range n.Values.Starts {
		before[s.Block] = before[s.Block].join(s.Val, s.Val)
	}
	out := groupBy(g.Blocks, len(g.Edges), func(e int) int { return g.Edges[e].From })
	ends := make(map[int]*Span) // by the block that cut edges lead to
	for _, v := range order {
		for _, e := range out[v] {
			low, high, to := before[v].Low+n.Values.Edge[e], before[v].High+n.Values.Edge[e], g.Edges[e].To
			if n.Cut[e] {
				ends[to] = ends[to].join(low, high)
			} else {
				before[to] = before[to].join(low, high)
			}
		}
	}
	spans := make([]Span, len(n.Values.Starts))
	for i, s := range n.Values.Starts {
		spans[i] = *ends[s.Block]
	}
	return spans
}

// join returns the least span with s, which may be nil, and two numbers.
func (s *Span) join(low, high uint64) *Span {
	if s == nil {
		return &Span{low, high}
	}
	return &Span{min(s.Low, low), max(s.High, high)}
}
