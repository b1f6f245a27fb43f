package tally

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// ContextsSince returns the calling contexts of a run with what was spent in them since before. Nodes are told by their stacks:
// the tree uses the places of rare ones again.
func ContextsSince(now, before *rundata.Contexts) *rundata.Contexts {
	if now == nil || before == nil {
		return now
	}
	old := sum(before)
	since := &rundata.Contexts{Nodes: slices.Clone(now.Nodes), Bytes: now.Bytes}
	keys := nodeKeys(now)
	for i := range since.Nodes {
		n, was := &since.Nodes[i], old.nodes[keys[i]]
		if was == nil {
			continue
		}
		n.Time, n.Samples, n.New = take(n.Time, &was.Time), take(n.Samples, &was.Samples), take(n.New, &was.New)
	}
	for _, p := range now.Paths {
		if was := old.paths[pathKeyOf(keys, &p)]; was != nil {
			p.Estimate, p.Samples = take(p.Estimate, &was.Estimate), take(p.Samples, &was.Samples)
			less := min(p.Time, was.Time)
			p.Time, was.Time = p.Time-less, was.Time-less
		}
		if p.Samples > 0 {
			since.Paths = append(since.Paths, p)
		}
	}
	return since
}

// take returns n without what is left of was, which is less by that.
func take(n uint64, was *uint64) uint64 {
	less := min(n, *was)
	*was -= less
	return n - less
}

// sums are what contexts have, by what tells them.
type sums struct {
	nodes map[string]*pcct.Node
	paths map[string]*rundata.ContextPath
}

func sum(c *rundata.Contexts) sums {
	s := sums{make(map[string]*pcct.Node), make(map[string]*rundata.ContextPath)}
	keys := nodeKeys(c)
	for i, n := range c.Nodes {
		if known := s.nodes[keys[i]]; known != nil {
			known.Time, known.Samples, known.New = known.Time+n.Time, known.Samples+n.Samples, known.New+n.New
		} else {
			s.nodes[keys[i]] = &n
		}
	}
	for _, p := range c.Paths {
		key := pathKeyOf(keys, &p)
		if known := s.paths[key]; known != nil {
			known.Estimate, known.Samples, known.Time = known.Estimate+p.Estimate, known.Samples+p.Samples, known.Time+p.Time
		} else {
			s.paths[key] = &p
		}
	}
	return s
}

// nodeKeys returns what tells each node: its stack and labels.
func nodeKeys(c *rundata.Contexts) []string {
	keys := make([]string, len(c.Nodes))
	for i, n := range c.Nodes {
		var text strings.Builder
		if n.Parent >= 0 {
			text.WriteString(keys[n.Parent])
		}
		for _, f := range n.Frames {
			fmt.Fprintf(&text, "\x01%s\x00%s\x00%d\x00%d", f.Name, f.File, f.Line, f.StartLine)
		}
		for _, l := range n.Labels {
			fmt.Fprintf(&text, "\x02%s\x00%s", l.Key, l.Value)
		}
		text.WriteByte(3)
		keys[i] = text.String()
	}
	return keys
}

func pathKeyOf(keys []string, p *rundata.ContextPath) string {
	node := ""
	if p.Node >= 0 {
		node = keys[p.Node]
	}
	return fmt.Sprintf("%s\x04%s\x00%d\x00%d", node, p.Package.Path, p.Hash, p.Number)
}
