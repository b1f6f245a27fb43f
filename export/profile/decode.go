package profile

import (
	"fmt"
	"maps"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile/internal/method"
	"github.com/goprofinstr/goprofinstr/export/profile/internal/pairs"
	"github.com/goprofinstr/goprofinstr/export/profile/internal/sums"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// decode turns path counts into the model of a package. Functions that make no sense are left out.
func (b *builder) decode(c *counts) *Package {
	pkg := &Package{
		Path: c.table.Path, Main: c.table.Main, Callees: c.table.Callees,
		Sources: c.table.Sources, Covered: c.table.Covered,
		Method: c.table.Counts, Events: c.table.MethodOfEvents(),
	}
	for i := range c.table.Functions {
		f := newFunction(c.table, i)
		if !f.Declined() {
			before := b.budget.Used
			err := f.decode(c, &b.budget)
			if err == nil {
				err = f.decodeEvents(c, b.named, &b.budget)
			}
			if err != nil {
				b.budget.Used = before
				b.p.damage(FunctionPart, f.Table.Name, err)
				f = f.without(err)
			}
		}
		pkg.Functions = append(pkg.Functions, f)
	}
	pkg.joinStatements()
	return pkg
}

// newFunction returns a function of a table without any counts.
func newFunction(t *table.Package, i int) *Function {
	f := &t.Functions[i]
	return &Function{Package: t.Path, Table: f, Method: t.MethodOf(f), Copied: t.Unknown}
}

// without returns f without its counts, declined for a reason.
func (f *Function) without(err error) *Function {
	left := f.Table.WithoutGraph(leftOut(err))
	out := &Function{Package: f.Package, Table: &left, Method: f.Method}
	if _, err := newDecoder(f.Table); err == nil {
		out.LeftOut = f.Table
	}
	return out
}

// decode sets everything of f that follows from its counters.
func (f *Function) decode(c *counts, b *sums.Budget) error {
	// Also for a function without counts: this is what checks its table.
	d, err := newDecoder(f.Table)
	if err != nil {
		return err
	}
	paths := c.paths(f.Table)
	if c.table.Unknown {
		if paths, err = f.takeUnknown(paths, b); err != nil {
			return err
		}
	}
	if err := f.decodePaths(d, paths, b); err != nil {
		return err
	}
	if err := f.decodePairs(d, c, b); err != nil {
		return err
	}
	return f.decodeRest(d, c, b)
}

// decodeRest sets everything that follows from f.Paths and from counters.
func (f *Function) decodeRest(d *pathnum.Decoder, c *counts, b *sums.Budget) error {
	if len(c.windowed) > 0 {
		f.balance(c.windowed)
	}
	if err := f.decodePartials(d, c, b); err != nil {
		return err
	}
	var starts, exits int64
	for i := range f.Paths {
		p := &f.Paths[i]
		if !p.Loop {
			starts += p.Count
		}
		if !f.EndsInLoop(p) {
			exits += p.Count
		}
	}
	if f.Table.Entries >= 0 {
		n := c.counter(uint64(f.Table.Entries))
		if err := b.Spend(n, 1); err != nil {
			return err
		}
		f.Entries = int64(n)
		if err := f.decodeSole(d, f.Entries-starts, b); err != nil {
			return err
		}
	}
	for _, p := range f.Partials {
		if !p.Loop {
			starts += p.Count
		}
	}
	if f.Table.Entries < 0 {
		f.Entries = starts
	}
	if method.Of(f.Method).Certainty() == HowOften {
		f.Abandoned = f.Entries - exits
	}
	f.sumEdges()
	f.sumBlocks()
	return nil
}

// paths returns the counts of the executed paths of f by increasing id, and that of paths that are not known.
func (c *counts) paths(f *table.Function) []method.Count {
	kept, n := method.Of(c.table.MethodOf(f)), f.Values.NumPaths
	if c.table.Unknown {
		n++
	}
	switch {
	case f.Storage == table.StorageHash:
		return kept.Hash(c.hash(f.Hash))
	case c.sparse != nil:
		return pathsOf(c.sparse.Counters, f.First, n)
	case c.counters == nil:
		return nil
	}
	return kept.Array(c.counters, f.First, n)
}

// takeUnknown returns the counts of paths that are known, and sets Unknown. The count of the others is that behind the last path.
func (f *Function) takeUnknown(paths []method.Count, b *sums.Budget) ([]method.Count, error) {
	n := len(paths)
	f.Unknown, f.UnknownSamples = 0, 0
	if n == 0 || paths[n-1].ID != f.Table.Values.NumPaths {
		return paths, nil
	}
	if err := b.Spend(paths[n-1].N, 1); err != nil {
		return nil, err
	}
	f.Unknown, f.UnknownSamples = int64(paths[n-1].N), int64(paths[n-1].Samples)
	return paths[:n-1], nil
}

// pathsOf returns the counts of n paths from those of a package, which are executions.
func pathsOf(counters []rundata.Entry, first, n uint64) (list []method.Count) {
	for _, e := range counters[rundata.Search(counters, first):] {
		if e.At-first >= n {
			break
		}
		list = append(list, method.Count{ID: e.At - first, N: e.N})
	}
	return list
}

// newDecoder returns the decoder of f's path numbers. It exists only for tables that make sense: afterwards all ids
// in them can be used as indices.
func newDecoder(f *table.Function) (*pathnum.Decoder, error) {
	edges := make([]pathnum.Edge, len(f.Edges))
	cut := make([]bool, len(f.Edges))
	for i, e := range f.Edges {
		edges[i] = pathnum.Edge{From: e.From, To: e.To}
		cut[i] = e.Back
	}
	d, err := pathnum.NewDecoder(len(f.Blocks), f.Entry, f.Exit, edges, cut, f.Values)
	if err != nil {
		return nil, fmt.Errorf("path table: %w", err)
	}
	return d, nil
}

// decodePaths sets f.Paths: it regenerates the edges of each path from its number.
func (f *Function) decodePaths(d *pathnum.Decoder, paths []method.Count, b *sums.Budget) error {
	branch := f.BranchEdges()
	f.Paths = make([]Path, len(paths))
	for i, pc := range paths {
		var err error
		if f.Paths[i], err = newPath(d, pc.ID, branch); err != nil {
			return err
		}
		if err := f.Paths[i].set(pc, b); err != nil {
			return err
		}
	}
	return nil
}

// decodePairs sets f.Pairs.
func (f *Function) decodePairs(d *pathnum.Decoder, c *counts, b *sums.Budget) error {
	if !f.Table.Pairs.On() {
		return nil
	}
	executed := make([]uint64, len(f.Paths))
	for i := range f.Paths {
		executed[i] = f.Paths[i].ID
	}
	counts := pairs.Counts{Counters: c.counters, Hash: c.hash(f.Table.Pairs.Hash), Paths: executed}
	list, others, err := pairs.Decode(f.Table, d, counts)
	if err != nil {
		return err
	}
	if err := b.Spend(others, 1); err != nil {
		return err
	}
	f.LostPairs = int64(others)
	for _, p := range list {
		if err := b.Spend(p.Count, 1); err != nil {
			return err
		}
		f.Pairs = append(f.Pairs, Pair{p.Before, p.Path, int64(p.Count), int64(p.Least)})
	}
	return nil
}

// newPath returns a path without counts, given which edges are branches.
func newPath(d *pathnum.Decoder, id uint64, branch []bool) (Path, error) {
	dp, err := d.Path(id)
	if err != nil {
		return Path{}, err
	}
	if len(dp.Edges) == 0 {
		return Path{}, fmt.Errorf("path %d has no edges", id)
	}
	p := Path{ID: id, Start: dp.Start, Loop: dp.Loop, Edges: dp.Edges}
	for _, e := range p.Edges {
		if branch[e] {
			p.Branches++
		}
	}
	return p, nil
}

// UncountedPath returns the path of a number, executed or not, without counts. It is an error if f has no such path.
func (f *Function) UncountedPath(id uint64) (Path, error) {
	if f.Declined() {
		return Path{}, fmt.Errorf("%s has no paths: %s", f.Table.Name, f.Table.Declined)
	}
	return newPath(f.Decoder(), id, f.BranchEdges())
}

// set sets the counts of a path.
func (p *Path) set(c method.Count, b *sums.Budget) error {
	p.Count, p.Samples = int64(c.N), int64(c.Samples)
	return b.Spend(c.N, len(p.Edges)+1)
}

// negative is what the runtime adds to a path register before it counts the register as a path of a position's hash
// table. Registers may be "negative".
const negative = 1 << 63

// decodePartials sets f.Partials from the hash tables of the function's positions.
func (f *Function) decodePartials(d *pathnum.Decoder, c *counts, b *sums.Budget) error {
	if f.Table.Counted != nil {
		return f.decodeCounted(c, b)
	}
	for i := range f.Table.Positions {
		if pos := &f.Table.Positions[i]; pos.Hash >= 0 {
			if err := f.decodeStates(d, c.hash(pos.Hash), pos, b); err != nil {
				return err
			}
		}
	}
	if !f.Table.ByLine {
		return nil
	}
	return f.decodeStates(d, c.hash(f.Table.LineHash), nil, b)
}

// decodeSole adds to f.Partials the n activations that were abandoned in the function's only position. Fewer
// than none have lost counts to concurrency.
func (f *Function) decodeSole(d *pathnum.Decoder, n int64, b *sums.Budget) error {
	if len(f.Table.Positions) != 1 || n <= 0 {
		return nil
	}
	pos := f.Table.Positions[0]
	dp, err := d.Prefix(pos.Offset, pos.Block)
	if err != nil {
		return fmt.Errorf("abandoned in block %d: %w", pos.Block, err)
	}
	if err := b.Spend(uint64(n), len(dp.Edges)+1); err != nil {
		return err
	}
	f.Partials = append(f.Partials, Partial{
		Count: n, Start: dp.Start, Loop: dp.Loop, Edges: dp.Edges, Block: pos.Block, Reached: pos.Reached,
	})
	return nil
}

// decodeStates adds to f.Partials what a hash table has counted: that of a position, or the one for those that lines tell.
func (f *Function) decodeStates(d *pathnum.Decoder, states map[uint64]uint64, of *table.Position, b *sums.Budget) error {
	for _, key := range slices.Sorted(maps.Keys(states)) {
		pos, r := of, key^negative
		if f.Table.ByLine {
			line := int(key >> 32)
			if pos = f.Table.PositionAt(line, of); pos == nil {
				return fmt.Errorf("abandoned on line %d, where nothing can fail", line)
			}
			r = uint64(int64(int32(key)))
		}
		dp, err := d.Prefix(r+pos.Offset, pos.Block)
		if err != nil {
			return fmt.Errorf("abandoned in block %d: %w", pos.Block, err)
		}
		n := states[key]
		if err := b.Spend(n, len(dp.Edges)+1); err != nil {
			return err
		}
		f.Partials = append(f.Partials, Partial{
			Count: int64(n), Start: dp.Start, Loop: dp.Loop, Edges: dp.Edges,
			Block: pos.Block, Reached: pos.Reached,
		})
	}
	return nil
}

// sumEdges sets f.Edges: an edge was executed as often as the paths that contain it, and
// the parts of paths.
func (f *Function) sumEdges() {
	f.Edges = make([]int64, len(f.Table.Edges))
	for _, p := range f.Paths {
		for _, e := range p.Edges {
			f.Edges[e] += p.Count
		}
	}
	for _, p := range f.Partials {
		for _, e := range p.Edges {
			f.Edges[e] += p.Count
		}
	}
}

// sumBlocks sets f.Blocks. A block was executed as often as the edges into it, back edges included, and the entry
// block once more for each activation.
func (f *Function) sumBlocks() {
	f.Blocks = make([]int64, len(f.Table.Blocks))
	for i, e := range f.Table.Edges {
		f.Blocks[e.To] += f.Edges[i]
	}
	f.Blocks[f.Table.Entry] += f.Entries
}

// Decoder returns the decoder of f's path numbers.
func (f *Function) Decoder() *pathnum.Decoder {
	d, err := newDecoder(f.Table)
	if err != nil {
		panic("BUG: a function of a profile that Load has not checked: " + err.Error())
	}
	return d
}
