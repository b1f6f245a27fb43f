package tally

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// A ContextCarry is a Carry for the calling contexts of a run: CPU time by stack, and by path in a stack. What was sent is known
// by a hash of the stack, and so are some words for each.
//
// A tree that is full folds rare contexts: a node into its parent, and a path in a context into the same path in none. What was
// sent of them is taken from the deltas of where they have gone. So the sums over all stacks, and over all contexts of a path,
// are those of the run.
type ContextCarry struct {
	nodes map[uint64]*SentNode
	paths map[uint64]*SentPath
}

// A SentNode is what the deltas of a node add up to.
type SentNode struct {
	Key, Parent uint64 // hashes of the stacks; the parent of an outermost node is 0
	Depth       int
	Spent       // CPU time in ns, samples
}

// A SentPath is what the deltas of a path in a context add up to.
type SentPath struct {
	Key, None uint64 // hashes of the path in the context, and in none
	Spent            // CPU time in ns, samples, estimate
}

// SentContexts is what all deltas add up to, to go on with in another process.
type SentContexts struct {
	Nodes []SentNode
	Paths []SentPath
}

// Next returns the contexts with what was spent in them since what was returned before, and whether there is any.
func (c *ContextCarry) Next(now *rundata.Contexts) (delta *rundata.Contexts, some bool) {
	if c.nodes == nil {
		c.Restore(SentContexts{})
	}
	delta = &rundata.Contexts{Nodes: slices.Clone(now.Nodes), Bytes: now.Bytes}
	keys := make([]uint64, len(now.Nodes))
	for i := range now.Nodes {
		keys[i] = nodeKey(keys, &now.Nodes[i])
	}
	some = c.nextNodes(delta.Nodes, keys)
	delta.Paths = c.nextPaths(now.Paths, keys)
	return delta, some || len(delta.Paths) > 0
}

// nodeKey returns the hash of a node's stack and labels, given those of nodes before.
func nodeKey(keys []uint64, n *pcct.Node) uint64 {
	h := newHash()
	if n.Parent >= 0 {
		h.word(keys[n.Parent])
	}
	for _, f := range n.Frames {
		h.text(f.Name)
		h.text(f.File)
		h.word(uint64(f.Line)<<32 | uint64(uint32(f.StartLine)))
	}
	for _, l := range n.Labels {
		h.text(l.Key)
		h.text(l.Value)
	}
	return h.sum()
}

// pathKey returns the hash of a path in a context, 0 for none.
func pathKey(node uint64, p *rundata.ContextPath) uint64 {
	h := newHash()
	h.word(node)
	h.text(p.Package.Path)
	h.word(uint64(p.Hash))
	h.word(p.Number)
	return h.sum()
}

// Spent is what a node or path has, in several values.
type Spent [3]uint64

// since returns what of now was not sent before, and notes it as sent.
func (s *Spent) since(now *Spent) (delta Spent) {
	for i := range s {
		delta[i] = now[i] - min(now[i], s[i])
		s[i] += delta[i]
	}
	return delta
}

// excess takes what was sent beyond now out of s.
func (s *Spent) excess(now Spent) (more Spent) {
	for i := range s {
		more[i] = s[i] - min(s[i], now[i])
		s[i] -= more[i]
	}
	return more
}

// exceeds reports whether more was sent than there is now.
func (s *Spent) exceeds(now Spent) bool { return s[0] > now[0] || s[1] > now[1] || s[2] > now[2] }

func (s *Spent) add(more Spent) {
	for i := range s {
		s[i] += more[i]
	}
}

// nextNodes leaves in nodes what is to be sent.
func (c *ContextCarry) nextNodes(nodes []pcct.Node, keys []uint64) (some bool) {
	now := make(map[uint64]*Spent, len(nodes))
	for i := range nodes {
		n := &nodes[i]
		if c.nodes[keys[i]] == nil {
			s := &SentNode{Key: keys[i]}
			if n.Parent >= 0 {
				s.Parent, s.Depth = keys[n.Parent], c.nodes[keys[n.Parent]].Depth+1
			}
			c.nodes[s.Key] = s
		}
		if now[keys[i]] == nil {
			now[keys[i]] = new(Spent)
		}
		now[keys[i]].add(Spent{n.Time, n.Samples})
	}
	c.foldNodes(now)
	for i := range nodes {
		n := &nodes[i]
		delta := c.nodes[keys[i]].Spent.since(now[keys[i]]) // of several nodes of one stack the first has it all
		n.Time, n.Samples, n.New = delta[0], delta[1], 0
		some = some || n.Time > 0
	}
	return some
}

// foldNodes has what was sent of nodes that have been folded count as sent of those that they were folded into.
func (c *ContextCarry) foldNodes(now map[uint64]*Spent) {
	folded := func(s *SentNode) bool {
		has := now[s.Key]
		return has == nil || s.Spent.exceeds(*has)
	}
	all := slices.Collect(maps.Values(c.nodes))
	if !slices.ContainsFunc(all, folded) {
		return
	}
	slices.SortFunc(all, func(a, b *SentNode) int { return cmp.Compare(b.Depth, a.Depth) })
	for _, s := range all { // the innermost first: they may have been folded several times
		parent := c.nodes[s.Parent]
		if parent == nil || !folded(s) {
			continue
		}
		var has Spent
		if now[s.Key] != nil {
			has = *now[s.Key]
		} else {
			delete(c.nodes, s.Key)
		}
		parent.Spent.add(s.Spent.excess(has))
	}
}

// nextPaths returns what is to be sent of paths.
func (c *ContextCarry) nextPaths(paths []rundata.ContextPath, keys []uint64) (list []rundata.ContextPath) {
	now := make(map[uint64]*Spent, len(paths))
	of := make([]uint64, len(paths))
	sent := func(key, none uint64) *SentPath {
		if c.paths[key] == nil {
			c.paths[key] = &SentPath{Key: key, None: none}
		}
		return c.paths[key]
	}
	for i := range paths {
		p := &paths[i]
		if p.Node >= 0 {
			of[i] = keys[p.Node]
		}
		of[i] = pathKey(of[i], p)
		sent(of[i], pathKey(0, p))
		if now[of[i]] == nil {
			now[of[i]] = new(Spent)
		}
		now[of[i]].add(Spent{uint64(p.Time), p.Samples, p.Estimate})
	}
	for key, s := range c.paths {
		if has := now[key]; s.None != key && (has == nil || s.Spent.exceeds(*has)) {
			if has == nil {
				has = new(Spent)
				delete(c.paths, key)
			}
			more := s.Spent.excess(*has)
			sent(s.None, s.None).Spent.add(more)
		}
	}
	for i, p := range paths {
		delta := c.paths[of[i]].Spent.since(now[of[i]])
		if p.Time, p.Samples, p.Estimate = time.Duration(delta[0]), delta[1], delta[2]; p.Time > 0 || p.Samples > 0 {
			list = append(list, p)
		}
	}
	return list
}

// Restore has a carry go on where another one had sent so much of the same run.
func (c *ContextCarry) Restore(sent SentContexts) {
	c.nodes, c.paths = make(map[uint64]*SentNode), make(map[uint64]*SentPath)
	for _, n := range sent.Nodes {
		c.nodes[n.Key] = &n
	}
	for _, p := range sent.Paths {
		c.paths[p.Key] = &p
	}
}

// Sent returns what all deltas add up to.
func (c *ContextCarry) Sent() (sent SentContexts) {
	for _, n := range c.nodes {
		sent.Nodes = append(sent.Nodes, *n)
	}
	for _, p := range c.paths {
		sent.Paths = append(sent.Paths, *p)
	}
	slices.SortFunc(sent.Nodes, func(a, b SentNode) int { return cmp.Compare(a.Key, b.Key) })
	slices.SortFunc(sent.Paths, func(a, b SentPath) int { return cmp.Compare(a.Key, b.Key) })
	return sent
}

// A stackHash is FNV-1a of 64 bits. No two of 65,536 stacks have the same but once in ten billion trees.
type stackHash uint64

const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

func newHash() *stackHash {
	h := stackHash(fnvOffset)
	return &h
}

func (h *stackHash) word(w uint64) {
	for range 8 {
		*h = (*h ^ stackHash(w&0xff)) * fnvPrime
		w >>= 8
	}
}

// text adds a text and its end.
func (h *stackHash) text(s string) {
	for i := range len(s) {
		*h = (*h ^ stackHash(s[i])) * fnvPrime
	}
	h.word(uint64(len(s)))
}

func (h *stackHash) sum() uint64 { return uint64(*h) }
