package pathmap

import "github.com/goprofinstr/goprofinstr/rewrite/machine"

// CallBlock returns the block of the target that a call which was inlined into it is in, -1 if that is not known.
func (t *Target) CallBlock(call *machine.Scope) int {
	if r := t.source.ref(call.CallFile); r.f == t.F {
		return r.block
	}
	return -1
}

// Executions returns how often each block was executed.
func (w *Walker) Executions() ([]int64, error) {
	d, err := w.T.F.Decoder()
	if err != nil {
		return nil, err
	}
	counts := make([]int64, w.T.F.blocks)
	for _, paths := range []map[uint64]int64{w.Counts, w.Doubtful} {
		for id, n := range paths {
			p, err := d.Path(id)
			if err != nil {
				return nil, err
			}
			if !p.Loop {
				counts[p.Start] += n
			}
			for _, e := range p.Edges {
				counts[w.T.F.edges[e].to] += n
			}
		}
	}
	return counts, nil
}
