package profile

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"sync"

	"github.com/goprofinstr/goprofinstr/export/profile/internal/input"
	"github.com/goprofinstr/goprofinstr/export/profile/internal/method"
	"github.com/goprofinstr/goprofinstr/export/profile/internal/sums"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// New returns the profile of runs, added up. Packages of tables that are in none of them have counts of 0. What
// is damaged is left out and listed in Damaged, with the file or pid of the run where it is in one. It is an
// error, one line long, if runs are of different builds of a package.
func New(runs []*rundata.Run, tables []*table.Package) (*Profile, error) {
	return new(Tables).New(runs, tables)
}

// Tables are path tables that have been decoded: most of the time that New takes. The zero value has none. They can be used by
// several goroutines at the same time.
type Tables struct {
	mu      sync.Mutex
	decoded map[[sha256.Size]byte]*table.Package
}

// decode decodes a table once.
func (t *Tables) decode(data []byte) (*table.Package, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	sum := sha256.Sum256(data)
	if known := t.decoded[sum]; known != nil {
		return known, nil
	}
	decoded, err := input.DecodeTable(data)
	if err != nil {
		return nil, err
	}
	if t.decoded == nil {
		t.decoded = make(map[[sha256.Size]byte]*table.Package)
	}
	t.decoded[sum] = decoded
	return decoded, nil
}

// New is New for profiles whose tables have been decoded before, for the most part.
func (t *Tables) New(runs []*rundata.Run, tables []*table.Package) (*Profile, error) {
	return newBuilder(t).profile(runs, tables)
}

// NewSince is New for what runs have counted in some time. Paths that time was spent on and that have no count have one of 0:
// their executions were counted before, or will be.
func (t *Tables) NewSince(runs []*rundata.Run) (*Profile, error) {
	b := newBuilder(t)
	b.since = true
	return b.profile(runs, nil)
}

func (b *builder) profile(runs []*rundata.Run, tables []*table.Package) (*Profile, error) {
	for _, r := range runs {
		b.p.Runs = append(b.p.Runs, Run{
			Pid: r.Pid, Start: r.Start, Args: r.Args, Lost: r.Lost, Alive: r.Alive, Sampling: r.Sampling, Stream: r.Stream,
		})
		if err := b.addRun(r); err != nil {
			return nil, err
		}
	}
	for _, t := range tables {
		if b.merged[t.Path] == nil {
			b.merged[t.Path] = &counts{table: b.use(t)}
		}
	}
	slices.SortStableFunc(b.p.Runs, func(a, b Run) int {
		return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(a.Pid, b.Pid))
	})
	return b.finish(runs), nil
}

// A builder makes a profile.
type builder struct {
	p        *Profile
	merged   map[string]*counts       // by import path
	tables   map[string]*decodedTable // by their encoding
	contexts *contextTree
	programs programs
	named    namer
	budget   sums.Budget
	windowed map[pathKey]*windowed
	left     uncounted
	decoded  *Tables
	since    bool // see Tables.NewSince
}

func newBuilder(decoded *Tables) *builder {
	return &builder{
		decoded: decoded,
		p:       new(Profile), merged: make(map[string]*counts), tables: make(map[string]*decodedTable), contexts: newContextTree(),
		programs: programs{known: make(map[string]*program)}, windowed: make(map[pathKey]*windowed),
		named: make(namer),
	}
}

// A decodedTable is a table, or why there is none.
type decodedTable struct {
	table *table.Package
	err   error
}

// addRun adds what a run has counted. The error is that about different builds.
func (b *builder) addRun(r *rundata.Run) error {
	pkgs, err := b.estimate(r)
	if err != nil {
		b.p.damage(RunFile, input.RunTitle(r), err)
		return nil
	}
	for _, pkg := range pkgs {
		t, err := b.table(pkg)
		if err == nil {
			err = checkCounters(t, pkg)
		}
		if err == nil && len(r.Names) > 0 {
			pkg = b.settle(b.named.renamed(pkg, t, r.Names), t)
		}
		if err == nil {
			err = b.addPackage(pkg, t)
		}
		if errors.Is(err, errBuilds) {
			return fmt.Errorf("%s: package %s: %w", input.RunTitle(r), pkg.Path, err)
		}
		if err != nil {
			b.p.damage(PackagePart, pkg.Path, fmt.Errorf("%s: %w", input.RunTitle(r), err))
		}
	}
	b.left.add(r)
	if err := b.contexts.add(r); err != nil {
		b.p.damage(Contexts, input.RunTitle(r), err)
	}
	if err := b.programs.add(r); err != nil {
		b.p.damage(Probes, input.RunTitle(r), err)
	}
	return nil
}

// estimate returns the packages of a run with estimates and samples, if it was sampled: see rt/runfile/format.go.
func (b *builder) estimate(run *rundata.Run) ([]*rundata.Package, error) {
	switch {
	case run.Sampling != nil && run.Sampling.Counted:
		return b.addWindows(run)
	case run.Stream != nil:
		return b.addStrata(run)
	}
	return run.Packages, nil
}

// table returns the table of a package, which is decoded once.
func (b *builder) table(pkg *rundata.Package) (*table.Package, error) {
	known := b.tables[string(pkg.Table)]
	if known == nil {
		known = new(decodedTable)
		b.tables[string(pkg.Table)] = known
		if known.table, known.err = b.decoded.decode(pkg.Table); known.err == nil {
			known.table = b.use(known.table)
		}
	}
	if known.err == nil && known.table.Path != pkg.Path {
		return nil, fmt.Errorf("path table is that of package %s", known.table.Path)
	}
	return known.table, known.err
}

// use is usable, and notes what is left out.
func (b *builder) use(t *table.Package) *table.Package {
	used, damaged := usable(t)
	for i := range used.Functions {
		if err := damaged[i]; err != nil {
			b.p.damage(FunctionPart, used.Functions[i].Name, err)
		}
	}
	return used
}

// usable leaves the functions of a table out that make no sense, and says why: nobody has to look at an index in it again.
// Whether the numbering makes sense is left to pathnum.NewDecoder.
func usable(t *table.Package) (used *table.Package, damaged map[int]error) {
	damaged = t.Check(method.Of(t.Counts).Words())
	if len(damaged) == 0 {
		return t, nil
	}
	copied := *t
	copied.Functions = slices.Clone(t.Functions)
	for i, err := range damaged {
		damaged[i] = fmt.Errorf("path table: %w", err)
		copied.Functions[i] = copied.Functions[i].WithoutGraph(leftOut(damaged[i]))
	}
	return &copied, damaged
}

// leftOut is the reason for which a function is declined that is left out.
func leftOut(err error) string { return "it cannot be read: " + err.Error() }

// checkCounters reports counters that a table speaks of and a package of a run does not have.
func checkCounters(t *table.Package, pkg *rundata.Package) error {
	if t.Counters != uint64(len(pkg.Counters)) {
		return fmt.Errorf("%d counters, its path table says %d", len(pkg.Counters), t.Counters)
	}
	for i := range t.Functions {
		if f := &t.Functions[i]; f.Declined == "" && f.Hashes() > len(pkg.Hashes) {
			return fmt.Errorf("%d hash tables, and %s has number %d", len(pkg.Hashes), f.Name, f.Hashes()-1)
		}
	}
	return nil
}

// counts are the counters of one package, added up over runs.
type counts struct {
	encoded  []byte // the table as it came with the first run; nil if there is none
	table    *table.Package
	counters []uint64            // nil if there is no run: all are 0
	hashes   []map[uint64]uint64 // as counters
	windowed map[pathKey]*windowed
	sparse   *rundata.Sparse // if not nil, executions of one run that are in place of counters and hashes
}

// hash returns a hash table.
func (c *counts) hash(i int) map[uint64]uint64 {
	if c.sparse != nil {
		return c.sparse.Hash(i)
	}
	if i < 0 || i >= len(c.hashes) {
		return nil
	}
	return c.hashes[i]
}

// counter returns a counter.
func (c *counts) counter(i uint64) uint64 {
	if c.sparse != nil {
		return rundata.Find(c.sparse.Counters, i)
	}
	if i >= uint64(len(c.counters)) {
		return 0
	}
	return c.counters[i]
}

var errBuilds = errors.New("runs come from different builds of it and cannot be added up; " +
	"profile each build into its own directory (wrap -o)")

// addPackage adds the counters of one run of a package, all of them or, if there is an error, none.
func (b *builder) addPackage(pkg *rundata.Package, t *table.Package) error {
	c := b.merged[pkg.Path]
	if c == nil {
		c = &counts{encoded: pkg.Table, table: t}
		c.counters, c.hashes = make([]uint64, len(pkg.Counters)), make([]map[uint64]uint64, len(pkg.Hashes))
		b.merged[pkg.Path] = c
	}
	// Equal tables have equal encodings, see table.Encode.
	if !bytes.Equal(c.encoded, pkg.Table) {
		return errBuilds
	}
	if len(pkg.Hashes) != len(c.hashes) {
		return fmt.Errorf("%d hash tables, another run has %d", len(pkg.Hashes), len(c.hashes))
	}
	if !c.hasRoom(pkg) {
		return sums.ErrOverflow
	}
	c.add(pkg)
	return nil
}

// hasRoom reports whether all sums with the counters of one run fit 64 bits.
func (c *counts) hasRoom(pkg *rundata.Package) bool {
	for i, n := range pkg.Counters {
		if _, carry := bits.Add64(c.counters[i], n, 0); carry != 0 {
			return false
		}
	}
	for i, m := range pkg.Hashes {
		for id, n := range m {
			if _, carry := bits.Add64(c.hashes[i][id], n, 0); carry != 0 {
				return false
			}
		}
	}
	return true
}

// add adds the counters of one run.
func (c *counts) add(pkg *rundata.Package) {
	for i, n := range pkg.Counters {
		c.counters[i] += n
	}
	for i, m := range pkg.Hashes {
		if len(m) > 0 && c.hashes[i] == nil {
			c.hashes[i] = make(map[uint64]uint64)
		}
		for id, n := range m {
			c.hashes[i][id] += n
		}
	}
}

// cut returns how many activations of a function may have been abandoned.
func (b *builder) cut(f *Function) (n int64) {
	for _, times := range b.merged[f.Package].hash(f.Table.Cut - 1) {
		n += int64(min(times, sums.MostEvents))
	}
	return n / runfile.SampleUnit
}

// finish makes the model of what has been added.
func (b *builder) finish(runs []*rundata.Run) *Profile {
	p := b.p
	for _, path := range slices.Sorted(maps.Keys(b.merged)) {
		c := b.merged[path]
		c.windowed = b.windowed
		p.Packages = append(p.Packages, b.decode(c))
	}
	p.BuildRoot, p.Sums = rundata.RootOf(runs), make(map[string]table.Sum)
	for _, pkg := range p.Packages {
		for _, s := range pkg.Sources {
			p.Sums[s.File] = s.Sum
		}
	}
	p.addTests(runs)
	p.Contexts = b.contexts.list
	for _, f := range p.Functions() {
		if b.since {
			b.contexts.addTimed(f)
		}
		b.contexts.attach(f)
	}
	if len(p.Contexts) > 0 {
		p.addCalls()
	}
	p.Programs = b.programs.finish(p)
	off := 0.0
	for _, r := range p.Runs {
		if r.Sampling != nil {
			off = max(off, r.Sampling.Off)
		}
	}
	for _, f := range p.Functions() {
		f.Counted = p.counted()
		if !f.Declined() {
			f.Cut, f.Off = b.cut(f), off
		}
	}
	b.left.set(p)
	p.settle()
	return p
}
