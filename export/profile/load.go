package profile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"os"
	"path/filepath"
	"slices"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// ErrNoRuns is wrapped by the error of [Load] for a directory without run data.
var ErrNoRuns = errors.New("no run data")

// runFiles matches the names of run files in a profile directory.
const runFiles = "run.*.gpi"

// Load reads all run files of profile directory dir and adds up their counts. Where wrap has
// left path tables, the packages that no run linked are in the profile too, with counts of 0. It returns an error, one line long, if dir cannot be read, holds neither run
// data nor what wrap leaves there before anything runs (then errors.Is(err, ErrNoRuns)), holds a damaged file, or holds runs of
// builds that differ from each other.
func Load(dir string) (*Profile, error) {
	dir = current(dir)
	names, err := findRuns(dir)
	if err != nil {
		return nil, err
	}
	var runs []*rundata.Run
	for _, name := range names {
		r, err := rundata.ReadFile(name)
		if errors.Is(err, rundata.ErrEmpty) {
			continue // its process was killed before it executed any code that counts
		}
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	manifest, tables, err := readBuild(dir, tablesOf(runs))
	if err != nil {
		return nil, err
	}
	if manifest != nil && manifest.Mode == AuditMode {
		return nil, fmt.Errorf("%s is an audit, and not a profile; goprofinstr audit -from %s shows it", dir, dir)
	}
	if len(runs) == 0 && manifest == nil {
		return nil, fmt.Errorf("%s: %w: all processes died while they started", dir, ErrNoRuns)
	}
	p, err := New(runs, tables)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if manifest != nil {
		p.Root, p.NotRun = manifest.Root, manifest.NotRun
	}
	return p, nil
}

// tablesOf returns the encoded tables in runs.
func tablesOf(runs []*rundata.Run) map[string]bool {
	tables := make(map[string]bool)
	for _, r := range runs {
		for _, p := range r.Packages {
			tables[string(p.Table)] = true
		}
	}
	return tables
}

// findRuns returns the paths of the run files in dir, sorted.
func findRuns(dir string) ([]string, error) {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; want the output directory of goprofinstr wrap", err)
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s: not a directory; want the output directory of goprofinstr wrap", dir)
	}
	// Not filepath.Glob: dir itself may hold characters special to it.
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if ok, _ := filepath.Match(runFiles, e.Name()); ok {
			names = append(names, filepath.Join(dir, e.Name()))
		}
	}
	switch {
	case len(names) > 0 || slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == manifestName }):
		return names, nil
	case len(entries) == 0:
		return nil, fmt.Errorf("%s: %w: the directory is empty", dir, ErrNoRuns)
	case slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == runningDir }):
		return nil, fmt.Errorf("%s: %w: the first wrap has not ended, or was killed; what it has counted is in %s", dir, ErrNoRuns, filepath.Join(dir, runningDir))
	default:
		return nil, fmt.Errorf("%s: %w (%s): not a profile directory, or no instrumented program has written to it", dir, ErrNoRuns, runFiles)
	}
}

// New returns the profile of runs, added up. Packages of tables that are in none
// of them have counts of 0. The error, one line long, says
// what is wrong with the data and, where it has one, the pid of the run.
func New(runs []*rundata.Run, tables []*table.Package) (p *Profile, err error) {
	p = new(Profile)
	merged := make(map[string]*counts)
	contexts := newContextTree()
	programs := programs{known: make(map[string]*program)}
	decoded := make(map[string]*table.Package)
	var named namer
	for _, r := range runs {
		p.Runs = append(p.Runs, Run{Pid: r.Pid, Start: r.Start, Args: r.Args, Lost: r.Lost, Sampling: r.Sampling, Stream: r.Stream})
		pkgs, err := estimate(r, decoded)
		if err != nil {
			return nil, fmt.Errorf("run of pid %d: %w", r.Pid, err)
		}
		for _, pkg := range pkgs {
			if len(r.Names) > 0 {
				t, err := decodeOnce(pkg, decoded)
				if err != nil {
					return nil, fmt.Errorf("run of pid %d: %w", r.Pid, err)
				}
				if pkg, err = settle(named.rename(pkg, t, r.Names), t); err != nil {
					return nil, fmt.Errorf("run of pid %d: package %s: %w", r.Pid, t.Path, err)
				}
			}
			if err := addPackage(merged, pkg); err != nil {
				return nil, fmt.Errorf("run of pid %d: package %s: %w", r.Pid, pkg.Path, err)
			}
		}
		if err := errors.Join(contexts.add(r), programs.add(r)); err != nil {
			return nil, fmt.Errorf("run of pid %d: %w", r.Pid, err)
		}
	}
	for _, c := range merged {
		p.Sampled = p.Sampled || c.table.Sampled
		p.Stratified = p.Stratified || c.table.Stratified
	}
	for _, t := range tables {
		p.Sampled = p.Sampled || t.Sampled
		p.Stratified = p.Stratified || t.Stratified
		if merged[t.Path] == nil {
			merged[t.Path] = noCounts(t)
		}
	}
	slices.SortStableFunc(p.Runs, func(a, b Run) int {
		return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(a.Pid, b.Pid))
	})

	var b budget
	for _, c := range merged {
		pkg, err := c.decode(&named, &b)
		if err != nil {
			return nil, fmt.Errorf("package %s: %w", c.table.Path, err)
		}
		p.Packages = append(p.Packages, pkg)
	}
	slices.SortFunc(p.Packages, func(a, b *Package) int { return cmp.Compare(a.Path, b.Path) })
	p.addTests(runs)
	p.Contexts = contexts.list
	for _, f := range p.Functions() {
		if err := contexts.attach(f); err != nil {
			return nil, err
		}
	}
	p.Programs, err = programs.finish(p.Packages)
	return p, err
}

// counts are the counters of one package, added up over runs.
type counts struct {
	encoded  []byte // the table as it came with the first run
	table    *table.Package
	counters []uint64
	hashes   []map[uint64]uint64
}

// newCounts returns counts of 0 for a package like pkg, whose table is t.
func newCounts(pkg *rundata.Package, t *table.Package) *counts {
	c := &counts{
		encoded:  pkg.Table,
		table:    t,
		counters: make([]uint64, len(pkg.Counters)),
		hashes:   make([]map[uint64]uint64, len(pkg.Hashes)),
	}
	return c
}

// noCounts returns counts of 0 for a package that no run linked.
func noCounts(t *table.Package) *counts {
	c := &counts{table: t, counters: make([]uint64, t.Counters)}
	for _, f := range t.Functions {
		if f.Storage == table.StorageHash {
			c.hashes = append(c.hashes, nil)
		}
		c.hashes = append(c.hashes, make([]map[uint64]uint64, len(f.Positions)+len(f.Selectors))...)
	}
	return c
}

// addPackage adds the counters of one run of a package to merged, which is
// keyed by import path.
func addPackage(merged map[string]*counts, pkg *rundata.Package) error {
	c := merged[pkg.Path]
	if c == nil {
		t, err := decodeTable(pkg)
		if err != nil {
			return err
		}
		c = newCounts(pkg, t)
		merged[pkg.Path] = c
	}
	// Equal tables have equal encodings, see table.Encode.
	if !bytes.Equal(c.encoded, pkg.Table) {
		return errors.New("runs come from different builds of it and cannot be added up; profile each build into its own directory (wrap -o)")
	}
	return c.add(pkg)
}

// add adds the counters of one run.
func (c *counts) add(pkg *rundata.Package) error {
	if len(pkg.Counters) != len(c.counters) {
		return fmt.Errorf("%d counters, another run has %d", len(pkg.Counters), len(c.counters))
	}
	for i, n := range pkg.Counters {
		if err := addCount(&c.counters[i], n); err != nil {
			return err
		}
	}
	if len(pkg.Hashes) != len(c.hashes) {
		return fmt.Errorf("%d hash tables, another run has %d", len(pkg.Hashes), len(c.hashes))
	}
	for i, m := range pkg.Hashes {
		if len(m) > 0 && c.hashes[i] == nil {
			c.hashes[i] = make(map[uint64]uint64)
		}
		for id, n := range m {
			sum := c.hashes[i][id]
			if err := addCount(&sum, n); err != nil {
				return err
			}
			c.hashes[i][id] = sum
		}
	}
	return nil
}

var errOverflow = errors.New("counts overflow 64 bits: the run data is damaged")

func addCount(sum *uint64, n uint64) error {
	s, carry := bits.Add64(*sum, n, 0)
	if carry != 0 {
		return errOverflow
	}
	*sum = s
	return nil
}

// decodeTable decodes the path table of pkg and makes sure that its counters
// are in range. That its graphs and numberings make sense is left to
// pathnum.NewDecoder.
func decodeTable(pkg *rundata.Package) (*table.Package, error) {
	t, err := table.Decode(pkg.Table)
	if err != nil {
		return nil, err
	}
	if t.Path != pkg.Path {
		return nil, fmt.Errorf("path table is that of package %s", t.Path)
	}
	// Compare before anything of this size is allocated.
	if t.Counters != uint64(len(pkg.Counters)) {
		return nil, fmt.Errorf("%d counters, its path table says %d", len(pkg.Counters), t.Counters)
	}
	for i := range t.Functions {
		f := &t.Functions[i]
		if f.Declined != "" {
			continue
		}
		if err := checkCounters(t, f, pkg); err != nil {
			return nil, fmt.Errorf("path table of %s: %w", f.Name, err)
		}
	}
	return t, nil
}

// checkCounters reports counters of f that pkg does not have.
func checkCounters(t *table.Package, f *table.Function, pkg *rundata.Package) error {
	counters := uint64(len(pkg.Counters))
	if f.Entries < -1 || f.Entries >= 0 && uint64(f.Entries) >= counters {
		return fmt.Errorf("entry counter %d of %d", f.Entries, counters)
	}
	switch f.Storage {
	case table.StorageArray:
		if t.Sampled {
			counters /= 2
		}
		if f.First > counters || f.Values.NumPaths > counters-f.First {
			return fmt.Errorf("%d path counters from %d on, of %d", f.Values.NumPaths, f.First, counters)
		}
	case table.StorageHash:
		if f.Hash < 0 || f.Hash >= len(pkg.Hashes) {
			return fmt.Errorf("hash table %d of %d", f.Hash, len(pkg.Hashes))
		}
	default:
		return fmt.Errorf("unknown storage %q", f.Storage)
	}
	if f.ByLine && (f.LineHash < 0 || f.LineHash >= len(pkg.Hashes)) {
		return fmt.Errorf("hash table %d of %d for lines", f.LineHash, len(pkg.Hashes))
	}
	if err := cmp.Or(checkCounted(f, pkg), checkCalls(t, f), checkSelectors(f, pkg)); err != nil {
		return err
	}
	for _, pos := range f.Positions {
		if pos.Hash < 0 && !f.ByLine && f.Entries < 0 && f.Counted == nil || pos.Hash >= len(pkg.Hashes) || pos.Block < 0 || pos.Block >= len(f.Blocks) {
			return fmt.Errorf("position in block %d with hash table %d of %d", pos.Block, pos.Hash, len(pkg.Hashes))
		}
	}
	return nil
}

// checkCounted is checkCounters for what the function's Counted names.
func checkCounted(f *table.Function, pkg *rundata.Package) error {
	c := f.Counted
	if c == nil {
		return nil
	}
	counters := uint64(len(pkg.Counters))
	if c.First > counters || uint64(len(c.Edges)) > counters-c.First || c.Hash < 0 || c.Hash >= len(pkg.Hashes) {
		return fmt.Errorf("%d edge counters from %d on, of %d, and hash table %d of %d", len(c.Edges), c.First, counters, c.Hash, len(pkg.Hashes))
	}
	for _, e := range c.Edges {
		if e < -1 || e >= len(f.Edges) {
			return fmt.Errorf("counter of edge %d of %d", e, len(f.Edges))
		}
	}
	return nil
}
