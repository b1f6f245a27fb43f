package pathmap

import (
	"go/ast"
	"slices"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
)

// A call may panic, and what control has come to before it counts. So steps are taken in front of a call. Four things move
// them: looks behind it, return statements, deferred calls, and statements behind the rounds of loops.

// A held is steps in front of a call that wait for what is behind the call. A look there tells which of several ways was
// taken: the compiler evaluates a condition late that became a conditional move.
type held struct{ steps []step }

// A holder visits the steps of a machine block, but those that wait.
type holder struct {
	t     *Target
	b     *machine.Block
	visit func(step) (goOn bool)
	steps []step
}

// hold returns what visits the steps of b, and begins with those that have waited.
func (t *Target) hold(s state, b *machine.Block, visit func(step) (goOn bool)) *holder {
	h := &holder{t: t, b: b, visit: visit}
	if s.held != nil {
		for _, st := range s.held.steps {
			h.step(st)
		}
	}
	return h
}

func (h *holder) step(st step) (goOn bool) {
	if len(h.steps) > 0 || len(st.ways) > 1 && h.t.looksBehind(h.b, st.ways) {
		h.steps = append(h.steps, st)
		return true
	}
	return h.visit(st)
}

// waiting returns the steps that wait, which are the same whenever control comes by from a state.
func (h *holder) waiting(from state) *held {
	if len(h.steps) == 0 {
		return nil
	}
	if h.t.held[from] == nil {
		h.t.held[from] = &held{h.steps}
	}
	return h.t.held[from]
}

// looksBehind reports whether a look at a block that ways leave is behind the call that ends b.
func (t *Target) looksBehind(b *machine.Block, ways [][]int) bool {
	about := make(map[int]bool)
	t.blocksOf(ways, about)
	for b.Calls() && len(b.Succs[0].Preds) == 1 {
		b = b.Succs[0]
		if slices.ContainsFunc(t.Looks, func(l *Look) bool { return about[l.Block] && !l.Rounds && slices.Contains(b.Insts, l.At) }) {
			return true
		}
	}
	return false
}

// isReturn reports whether an instruction that is evidence of a block is of a return statement. A path is counted before that is
// evaluated (return f(), where f panics).
func (t *Target) isReturn(i *machine.Inst, block int) bool {
	out := t.F.out[block]
	if len(out) != 1 || t.F.edges[out[0]].to != t.exit {
		return false
	}
	file, line := i.File, i.Line
	depth := 0
	if t.At != nil {
		depth = slices.Index(i.Chain, t.At) + 1
	}
	if depth < len(i.Chain) {
		file, line = i.Chain[depth].CallFile, i.Chain[depth].CallLine
	}
	p := t.source.Place(file, line)
	return p.Piece >= 0 && t.source.returns[p]
}

// findReturns finds the places of return statements.
func (s *Source) findReturns() {
	s.returns = make(map[Place]bool)
	for _, f := range s.syntax {
		ast.Inspect(f, func(n ast.Node) bool {
			r, ok := n.(*ast.ReturnStmt)
			if !ok {
				return true
			}
			in := literalsIn(r)
			for x := range s.within(r) {
				if !slices.ContainsFunc(in, func(l *ast.FuncLit) bool { return l.Body.Lbrace < x.at && x.at < l.Body.Rbrace }) {
					s.returns[Place{x.piece, s.fset.Position(x.at).Line}] = true
				}
			}
			return true
		})
	}
}

// literalsIn returns the functions that are written in a statement. Their own statements are no part of it.
func literalsIn(n ast.Node) (list []*ast.FuncLit) {
	ast.Inspect(n, func(n ast.Node) bool {
		l, ok := n.(*ast.FuncLit)
		if ok {
			list = append(list, l)
		}
		return !ok
	})
	return list
}

// findDeferred finds the pieces of deferred calls. Where a function ends they have the position of its closing brace.
func (s *Source) findDeferred() {
	for _, f := range s.Funcs {
		f.defers = -1
		k, ok := s.index[f.Body.Rbrace]
		if !ok {
			continue
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			if _, ok := n.(*ast.DeferStmt); ok {
				f.defers = s.tokens[k].piece
			}
			_, literal := n.(*ast.FuncLit)
			return !literal
		})
	}
}

// isDeferred reports whether an instruction is a deferred call where the function ends, or in one that was inlined there. It
// may panic, and the path has ended.
func (t *Target) isDeferred(i *machine.Inst) bool {
	if t.At != nil || t.F.defers < 0 || !i.IsCall() || i.Kind != machine.Strict && i.Callee != "runtime.deferreturn" {
		return false
	}
	file := i.File
	if len(i.Chain) > 0 {
		file = i.Chain[0].CallFile
	}
	return t.source.piece(file) == t.F.defers
}

// A post is the statement behind each round of a loop (for …; …; x = f()). A path is counted before it is executed.
type post struct {
	block int   // that it is in, -1 if it is on edges
	edges []int // those, or the one that leaves the block
	to    int   // the block to which all of them lead
}

// findPosts finds the posts that call.
func (s *Source) findPosts() {
	in := make(map[int]bool) // pieces
	for _, f := range s.syntax {
		ast.Inspect(f, func(n ast.Node) bool {
			loop, ok := n.(*ast.ForStmt)
			if !ok || loop.Post == nil {
				return true
			}
			for x := range s.within(loop.Post) {
				in[x.piece] = true
			}
			return true
		})
	}
	for _, f := range s.Funcs {
		for _, site := range f.AllCalls() {
			k, ok := s.index[site.Pos]
			if !ok || s.tokens[k].piece < 0 || !in[s.tokens[k].piece] {
				continue
			}
			edge := site.Edge
			if edge < 0 && len(f.out[site.Block]) == 1 {
				edge = f.out[site.Block][0]
			}
			if edge >= 0 && f.Numbering.Cut[edge] {
				f.addPost(s.tokens[k].piece, site.Block, edge)
			}
		}
	}
}

func (f *Func) addPost(piece, block, edge int) {
	if f.posts == nil {
		f.posts = make(map[int]*post)
	}
	to := f.edges[edge].to
	p := f.posts[piece]
	if p == nil {
		p = &post{block: block, to: to}
		f.posts[piece] = p
	}
	if p.to != to || p.block != block {
		p.to = -1 // there is one place in the code for both
	}
	p.edges = append(p.edges, edge)
}

// postOf returns the post that an instruction is in, also one of a call that was inlined there; nil if it is in none.
func (t *Target) postOf(i *machine.Inst) *post {
	if len(t.F.posts) == 0 || i.Kind != machine.Strict || i.IsReturn() {
		return nil
	}
	file, depth := i.File, 0
	if t.At != nil {
		if depth = slices.Index(i.Chain, t.At) + 1; depth == 0 {
			return nil
		}
	}
	if depth < len(i.Chain) {
		file = i.Chain[depth].CallFile
	}
	p := t.F.posts[t.source.piece(file)]
	if p == nil || p.to < 0 || !t.must[p.to] {
		return nil
	}
	return p
}

// inPost goes on to the block behind a post, if there is one way there. Evidence of that block is of the same execution then.
func (t *Target) inPost(s state, p *post, i *machine.Inst, visit func(step) (goOn bool)) (after state, alive bool) {
	if s.posted && s.at == p.to && !s.again || s.over {
		return s, true
	}
	ways := [][]int{p.edges[:1]}
	if p.block >= 0 {
		if s, alive = t.step(s, p.block, i, visit); !alive {
			return s, false
		}
	} else if ways = t.waysToPost(s, p); len(ways) != 1 {
		return s, true
	}
	goOn := visit(step{s.at, p.to, i, s, ways})
	s.at, s.posted = p.to, true
	s.forget()
	return s, goOn
}

// waysToPost returns those by edges that a post is on.
func (t *Target) waysToPost(s state, p *post) [][]int {
	if t.At != nil && s.at == t.exit {
		return nil
	}
	ways := t.ways(s.at, p.to, s.blind)
	if e, ok := t.sides[s.side]; ok {
		ways = t.likely(s.side, t.waysBy(e, s.at, p.to, s.blind))
	}
	return slices.DeleteFunc(slices.Clone(ways), func(w []int) bool {
		return len(w) == 0 || !slices.Contains(p.edges, w[len(w)-1])
	})
}
