package page

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/goprofinstr/goprofinstr/export/internal/stacks"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// leastShare is the least share that a caller is shown for. Less is noise in estimates, and a tree has many such leaves.
const leastShare = 0.005

// callerTree is who called a function where it took a path: its root is the function, and the children of a node are its callers.
type callerTree struct {
	Path     string // number; "" for all paths
	Selected bool
	Callers  []*callerNode
	Known    string // share of executions whose callers are known, "" if the tree does not divide executions
}

// callerNode is a caller, at a line.
type callerNode struct {
	Caller  stacks.Caller
	In      *function // nil if it is not in the profile
	Weight  int64     // see weightOf
	Time    int64
	Percent string
	Part    float64
	Callers []*callerNode
}

// callerTrees returns a tree for each path that is listed, and one for all; none if no contexts are known.
func (s *Site) callerTrees(v *functionView) []callerTree {
	if len(s.p.Contexts) == 0 {
		return nil
	}
	everything := make([]*profile.Path, len(v.function.Paths))
	for i := range everything {
		everything[i] = &v.function.Paths[i]
	}
	trees := []callerTree{s.callerTree(v.function, everything)}
	trees[0].Selected = v.Selected == ""
	for _, row := range v.Paths {
		t := s.callerTree(v.function, []*profile.Path{row.Path})
		t.Path, t.Selected = strconv.FormatUint(row.ID, 10), row.Selected
		trees = append(trees, t)
	}
	return trees
}

func (s *Site) callerTree(f *function, paths []*profile.Path) callerTree {
	weight, counted := weightOf(paths)
	root := new(callerNode)
	all := int64(0)
	for _, p := range paths {
		all += p.Count
		for i := range p.Contexts {
			c := &p.Contexts[i]
			root.Weight += weight(c)
			at := root
			for _, caller := range s.stacks.Callers(f.Function, c.Context) {
				at = at.child(caller, s.byFunc[caller.Function])
				at.Weight += weight(c)
				at.Time += c.Time
			}
		}
	}
	root.finish(root.Weight)
	tree := callerTree{Callers: root.Callers}
	if counted {
		tree.Known = show.Percent(root.Weight, all)
	}
	return tree
}

// weightOf returns what the contexts of paths are weighed by: executions, or what is known where these are not: their samples,
// or else CPU time.
func weightOf(paths []*profile.Path) (weight func(*profile.PathContext) int64, counted bool) {
	var count, samples int64
	for _, p := range paths {
		for i := range p.Contexts {
			count += p.Contexts[i].Count
			samples += p.Contexts[i].Samples
		}
	}
	switch {
	case count > 0:
		return func(c *profile.PathContext) int64 { return c.Count }, true
	case samples > 0:
		return func(c *profile.PathContext) int64 { return c.Samples }, false
	}
	return func(c *profile.PathContext) int64 { return c.Time }, false
}

// child returns the child of n for a caller.
func (n *callerNode) child(caller stacks.Caller, in *function) *callerNode {
	for _, c := range n.Callers {
		if c.Caller == caller {
			return c
		}
	}
	c := &callerNode{Caller: caller, In: in}
	n.Callers = append(n.Callers, c)
	return c
}

// finish sorts what is beneath n, drops what is next to nothing of all, and sets the shares.
func (n *callerNode) finish(all int64) {
	n.Callers = slices.DeleteFunc(n.Callers, func(c *callerNode) bool { return float64(c.Weight) < leastShare*float64(all) })
	slices.SortFunc(n.Callers, func(a, b *callerNode) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(b.Time, a.Time),
			cmp.Compare(a.Caller.Name, b.Caller.Name), cmp.Compare(a.Caller.Line, b.Caller.Line))
	})
	for _, c := range n.Callers {
		c.Percent, c.Part = show.Percent(c.Weight, all), part(c.Weight, all)
		c.finish(all)
	}
}
