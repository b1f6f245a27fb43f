package method

import (
	"fmt"
	"slices"

	"github.com/goprofinstr/goprofinstr/rewrite/internal/emit"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// native samples as ticks does. In place of the test there is a marker: a store, which is patched away after linking.
type native struct{ ticks }

func init() {
	register("native", func(o Options, n *emit.Names, _ string) Method { return &native{ticks{n, o.Sampling}} })
}

// CountsRare reports whether path ends are counted as long as they are rare, and sampled elsewhere.
func (o Options) CountsRare() bool { return o.way() == "native" || o.way() == "ticks" }

func (*native) DeclineNosplit() string {
	return "marked go:nosplit, and native probes are calls in bursts; -backend portable samples it"
}

func (n *native) Paths(paths, most uint64) (p Paths, array bool) { return n, paths <= most }

// Variables has one marker more than paths or hash tables, for there may be none.
func (n *native) Variables(p Package) string {
	return n.Sprintf("var %s [%d]$native.Site\nvar %sH [%d]$native.Site\n",
		n.Sites, p.Counters+1, n.Sites, p.Hashes+1)
}

func (n *native) Start(p Package) string {
	markers := n.Sprintf("var %[1]sM=$native.Markers{Magic:[2]$U{$native.MarkersMagic0,$native.MarkersMagic1},"+
		"Sites:&%[1]s[0],N:%[2]d,Hashed:&%[1]sH[0],NHashed:%[3]d,Counters:&%[4]s,Hashes:%[5]s,HashSize:$HashSize}\n"+
		"var _=$native.UseMarkers(&%[1]sM)\n", n.Sites, p.Counters, p.Hashes, CounterOf(n.Names, 0), p.Hash)
	return markers + n.startSampling()
}

// What follows is native's Paths.

// Enter keeps the activation word in the frame.
func (n *native) Enter(f *Function) string {
	if !n.hasWord(f) {
		return ""
	}
	return n.ticks.Enter(f) + n.Sprintf("$native.KeepMark(&%s);", n.Word)
}

func (n *native) End(f *Function, op pathnum.Op) Code {
	site, number := n.marker(f, op)
	if number == "" {
		return Code{site + ".One=1", n.Sprintf("$native.MarkOne(&%s)==0", site)}
	}
	return Code{site + ".R=" + number, n.Sprintf("$native.MarkRegister(&%s,%s)==0", site, number)}
}

// marker returns the marker at the end of a path, and the number that the marker keeps; "" if the marker alone is
// the path. The path that the marker stands for and the number add up to the path. Only what the path register has
// is computed.
func (n *native) marker(f *Function, op pathnum.Op) (site, number string) {
	site = fmt.Sprintf("%s[%d]", n.Sites, f.First+f.marker(op))
	switch {
	case f.Storage == table.StorageHash:
		return fmt.Sprintf("%sH[%d]", n.Sites, f.Hash), f.PathNumber(op)
	case op.Count != pathnum.CountRegister:
		return site, ""
	case f.marker(op) == op.Inc:
		return site, f.Register
	default: // the register has more than the path's number
		return site, f.PathNumber(op)
	}
}

// marker returns the path that a marker in the array stands for when it stores 0.
func (f *Function) marker(op pathnum.Op) uint64 {
	if op.Inc < f.Numbering.Values.NumPaths {
		return op.Inc
	}
	return 0
}

// DescribeFunction tells what the markers that have the path register end. From there on there is one way to the
// end of a path, or another probe would be needed.
func (*native) DescribeFunction(f *Function, t *table.Function) {
	n := f.Numbering
	next := make([]int, n.Graph.Blocks) // an edge out of each block
	for i, e := range n.Graph.Edges {
		next[e.From] = i
	}
	for i, op := range n.Ops {
		if op.Count != pathnum.CountRegister {
			continue
		}
		end := table.End{Marker: f.marker(op), Edge: i}
		for !n.Cut[end.Edge] && n.Graph.Edges[end.Edge].To != n.Graph.Exit {
			end.Edge = next[n.Graph.Edges[end.Edge].To]
		}
		if f.Storage == table.StorageHash {
			end.Marker = 0
		}
		if !slices.Contains(t.Ends, end) {
			t.Ends = append(t.Ends, end)
		}
	}
}
