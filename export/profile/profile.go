package profile

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Profile is what the runs of one instrumented build counted.
//
// All counts are executions. Load makes sure that the sum over all paths of
// count × (edges + 1) fits an int64. So sums and flows of a Profile can be
// computed without thought of overflow.
type Profile struct {
	// Root is the main module's root, an absolute path that Function files are relative to. It is where the root was
	// when the program was built, or where who reads the profile has found it. Root is "" if that is not known.
	Root string

	// BuildRoot is where Root was when the program was built, or "": the runtime calls files by it.
	BuildRoot string

	// Built tells that wrap has only built the program, and not run it: nothing but the runs says what they are of.
	Built bool

	// Sums tell what the source files were, by name as in tables. One is nil if runs are of files that differ.
	Sums map[string]table.Sum

	// Changed are the files below Root that are others now, if who reads the profile has looked.
	Changed map[string]bool

	// LineSums has hashes of the lines of instrumented files below Root as they were; see profiledir.LineSums.
	LineSums map[string][]byte

	Runs     []Run      // by start time, then pid
	Packages []*Package // by import path

	// NotRun are the packages whose tests did not run, although the wrapped command asked for them; see Manifest.
	NotRun []string

	// Tests are what ran, by package and name, if that was recorded: go test with -per-test.
	Tests []*Test

	// Contexts is the calling context tree: parents come before their children. It is empty unless paths were sampled at ticks.
	Contexts []*Context

	Programs []Program // with native probes

	// Damaged are the parts that are left out of all the rest, in the order in which they were found.
	Damaged []Damage
}

// FilesPackage is what the go command calls the package of Go files on its command line. If these are in no
// module the root is their folder.
const FilesPackage = "command-line-arguments"

// Run is one process that contributed counts.
type Run struct {
	Pid   int
	Start time.Time
	Args  []string // command line, the program first; may be empty or cut off
	Lost  uint64   // path executions that were not counted for want of room
	Alive bool     // the process was running when its file was read; on Linux

	Sampling *rundata.Sampling // nil if paths were not sampled at ticks
	Stream   *rundata.Stream   // nil if they were not sampled in strata
}

// Package is one instrumented package.
type Package struct {
	Path      string      // import path
	Functions []*Function // in source order, declined ones included

	Sources []table.Source // none in a table of an earlier goprofinstr
	Covered bool           // these have the extents of Go's coverage

	Method table.Method // how paths of functions are counted that have no other
	Events table.Method // how events besides paths are counted

	Main    bool           // it is a package main
	Callees []table.Callee // what the calls of its functions call
}

// Function is a function or function literal with its counts.
// All but Package, Table, Method and LeftOut is empty if the function was declined.
type Function struct {
	Package string // import path
	Table   *table.Function
	Method  table.Method // how its paths are counted; see Certainty

	Entries int64 // activations

	// Abandoned counts activations that did not reach the exit block: they ended in a panic, Goexit or the end of the
	// program. What most of them had executed is in Partials. It is Entries minus the paths that end at exit, so it is
	// negative if updates of the counters were lost.
	Abandoned int64

	Paths    []Path    // executed paths, by increasing ID
	Partials []Partial // what abandoned activations had executed of paths that they did not come to the end of

	Events []Events // what was counted besides, by selector of the table

	// Pairs are the paths that followed each other, by Before and Path, if Table.Pairs counts them. LostPairs is how often
	// others, or these more often than Least, may have, where there was no room for so many and they were sampled.
	Pairs     []Pair
	LostPairs int64

	Blocks []int64 // executions of each block, indexed by block id
	Edges  []int64 // executions of each edge, indexed by edge id

	// LeftOut is the table of a function that was declined by Load, since its counts made no sense. It is nil for
	// others, and if the table itself made none.
	LeftOut *table.Function

	Calls []Call // in what contexts it was entered, as far as that is known

	// Unknown is how often a path was executed that is not known, where copies of machine code count. Uncounted says why they do
	// not count the function, "" if they do: then nothing is known of it.
	Unknown        int64
	UnknownSamples int64 // that Unknown is made from; 0 if it was counted
	Uncounted      string
	Copied         bool // copies of machine code count it, if anything does

	// Off is how far off its estimates may be together, besides of what their samples tell: see rundata.Sampling.
	Off float64

	// Counted tells that where paths rarely end they were counted, and sampled elsewhere. Missed are the edges that paths
	// may have ended with that were not counted, indexed by edge id; nil if there are none.
	Counted bool
	Missed  []bool

	// Unsettled says why it is not known of what was not seen that it was not executed, wherever it may have led. It is ""
	// if that is known, but for what may have led to Missed edges. Unsettled is "" in profiles whose certainty is
	// [Whether] or more, too.
	Unsettled string

	// Cut is how many activations may have been abandoned, where no more is known of that.
	Cut int64

	Units []int // what Unit returns, indexed as Table.Statements; nil if all are 0
}

// Path is an executed path of a Function.
type Path struct {
	ID       uint64
	Count    int64
	Samples  int64 // that the estimate Count is made from; 0 if there are none
	Exact    int64 // of Count, executions that were counted, if the rest is estimated
	Start    int   // id of the first block
	Loop     bool  // starts at a loop header (after a back edge), not at function entry
	Edges    []int // edge ids in order; only the last can be a back edge
	Branches int   // edges whose source block has more than one successor edge

	// In profiles with contexts:

	Time     int64         // CPU time spent on it, ns, as far as it is known
	Contexts []PathContext // in which it was seen, those of the highest count first; their counts add up to Count or to 0

	// Selections are estimates of Count without a part of the samples each, from which Interval follows; nil if there are none.
	Selections []float64
}

// A Pair is two paths of which the second began where the first one had ended, in the same activation.
type Pair struct {
	Before, Path uint64 // IDs
	Count        int64  // an estimate where it is more than Least
	Least        int64  // of Count, how often for certain
}

// Partial is the part of a path that activations had executed when they were abandoned.
type Partial struct {
	Count   int64
	Start   int   // as in Path
	Loop    bool  // as in Path
	Edges   []int // edge ids in order
	Block   int   // id of the block they were in: where Edges lead
	Reached int   // how many of the block's statement runs they had reached
}

// Flow is Count × Branches, the weight of a path in PEP section 6.3.
func (p *Path) Flow() int64 { return p.Count * int64(p.Branches) }

// inHash reports whether the counts of f are in a hash table.
func (f *Function) inHash() bool { return f.Table.Storage == table.StorageHash }

// Functions returns the functions of all packages, in order.
func (p *Profile) Functions() []*Function {
	var all []*Function
	for _, pkg := range p.Packages {
		all = append(all, pkg.Functions...)
	}
	return all
}

// Alive reports whether a process was running when its file was read. Then abandoned activations may be under way.
func (p *Profile) Alive() bool {
	return slices.ContainsFunc(p.Runs, func(r Run) bool { return r.Alive })
}

// Main returns the import path of the package main of p, "" if there is none or more than one.
func (p *Profile) Main() (path string) {
	for _, pkg := range p.Packages {
		if pkg.Main && path != "" {
			return ""
		}
		if pkg.Main {
			path = pkg.Path
		}
	}
	return path
}

// Filename returns the absolute name of f's file if it lies in the main module and the module's root is known. Else it returns
// the name in the table.
func (p *Profile) Filename(f *Function) string { return filename(p.Root, f) }

// BuildFilename is Filename of when the program was built.
func (p *Profile) BuildFilename(f *Function) string { return filename(cmp.Or(p.BuildRoot, p.Root), f) }

// Here returns where a file is that the runtime calls by its name when the program was built: where Root is now. A file that
// has changed is named as in tables.
func (p *Profile) Here(file string) string {
	rel, err := filepath.Rel(p.BuildRoot, file)
	switch name := filepath.ToSlash(rel); {
	case p.Root == "" || p.BuildRoot == "" || err != nil || !filepath.IsLocal(rel):
		return file
	case p.Changed[name]:
		return name
	}
	return filepath.Join(p.Root, rel)
}

func filename(root string, f *Function) string {
	file := f.Table.File
	if root == "" || f.Outside() || filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(root, filepath.FromSlash(file))
}

// Declined tells that f was left as it was and has no counts;
// the reason is f.Table.Declined.
func (f *Function) Declined() bool { return f.Table.Declined != "" }

// Outside tells whether f is outside of the main module, so that its file is named by import path and base name.
func (f *Function) Outside() bool { return isOutside(f.Package, f.Table.File) }

// IsOutside is Outside for a file of the package.
func (pkg *Package) IsOutside(file string) bool { return isOutside(pkg.Path, file) }

func isOutside(pkg, file string) bool {
	base, ok := strings.CutPrefix(file, pkg+"/")
	return ok && !strings.Contains(base, "/")
}

// Executed tells whether f was entered at all. A function may have executed
// paths but no entries when updates were lost.
func (f *Function) Executed() bool { return f.Entries > 0 || len(f.Paths) > 0 }

// EndsInLoop tells whether path p of f ends with a back edge, not at exit.
func (f *Function) EndsInLoop(p *Path) bool {
	return f.Table.Edges[p.Edges[len(p.Edges)-1]].Back
}

// StatementCounts returns the executions of each run of statements, indexed as Table.Statements. They are those of
// its block, less those of which it was not reached any more; 0 for dead code.
func (f *Function) StatementCounts() []int64 {
	counts := make([]int64, len(f.Table.Statements))
	if f.Declined() {
		return counts
	}
	for i, s := range f.Table.Statements {
		if s.Block < 0 {
			continue
		}
		counts[i] = f.Blocks[s.Block]
		for _, p := range f.Partials {
			if p.Block == s.Block && p.Reached <= s.Index {
				counts[i] -= p.Count
			}
		}
	}
	return counts
}

// BranchEdges tells for each edge of f whether its source block has more
// than one successor edge; indexed by edge id.
func (f *Function) BranchEdges() []bool {
	out := make([]int, len(f.Table.Blocks))
	for _, e := range f.Table.Edges {
		out[e.From]++
	}
	branch := make([]bool, len(f.Table.Edges))
	for i, e := range f.Table.Edges {
		branch[i] = out[e.From] > 1
	}
	return branch
}

// CallCounts returns the executions of each call, indexed as Table.Calls. They are those of its edge, or of its block, less those
// of activations that were abandoned in the block before they came to it.
func (f *Function) CallCounts() []int64 {
	counts := make([]int64, len(f.Table.Calls))
	if f.Declined() {
		return counts
	}
	for i, c := range f.Table.Calls {
		counts[i] = f.siteCount(c.Site)
	}
	return counts
}

// siteCount returns the executions of a call.
func (f *Function) siteCount(s table.Site) int64 {
	if s.At < 0 {
		return f.Edges[-1-s.At]
	}
	n := f.Blocks[s.At]
	for _, p := range f.Partials {
		if p.Block == s.At && p.Reached < s.Reached {
			n -= p.Count
		}
	}
	return n
}
