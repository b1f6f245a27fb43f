package difffuzz

import (
	"encoding/binary"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/integration/progen"
)

// Figures say how much was compared.
type Figures struct {
	Programs    int
	Packages    int // generated ones, each with a Run of its own
	Functions   int // instrumented functions, literals included
	Executed    int
	Declined    int
	Abandoned   int   // functions with abandoned activations: only entries and blocks compared
	Untraced    int   // executed functions that have no calls of package tr to go by
	Undecided   int   // functions with a trace that fits too many walks
	Chosen      int   // functions with traces that fit several walks, of which a choice gives the profile's counts
	Helped      int   // functions decided only by leaving out edges with no count
	Compared    int   // functions whose paths were compared
	Activations int64 // of the compared functions
	Paths       int64 // different paths in them
	PathExecs   int64
	CoverBlocks int // blocks of Go's coverage that were compared
	Hashed      int // compared functions with a hash table
	Merged      int // edges that were merged, in executed functions
	LinesShared int // functions compared with another choice of blocks, see assignments
	Facts       int // executed functions with paths that are said to be infeasible, which [profile.Profile.Check] holds against what was executed

	Pairs          int   // different pairs of paths of the compared functions that follow each other
	PrimeFunctions int   // compared functions whose prime paths were compared, too
	Primes         int   // their prime paths
	PrimesOver     int   // of these, those over more than one back edge
	PrimesUntold   int   // of these, those that the profile does not tell
	PrimeExecs     int64 // executions of prime paths
}

// Add adds the figures of another program.
func (f *Figures) Add(g *Figures) {
	f.Programs += g.Programs
	f.Packages += g.Packages
	f.Functions += g.Functions
	f.Executed += g.Executed
	f.Declined += g.Declined
	f.Abandoned += g.Abandoned
	f.Untraced += g.Untraced
	f.Undecided += g.Undecided
	f.Chosen += g.Chosen
	f.Helped += g.Helped
	f.Compared += g.Compared
	f.Activations += g.Activations
	f.Paths += g.Paths
	f.PathExecs += g.PathExecs
	f.CoverBlocks += g.CoverBlocks
	f.Hashed += g.Hashed
	f.Merged += g.Merged
	f.LinesShared += g.LinesShared
	f.Facts += g.Facts
	f.Pairs += g.Pairs
	f.PrimeFunctions += g.PrimeFunctions
	f.Primes += g.Primes
	f.PrimesOver += g.PrimesOver
	f.PrimesUntold += g.PrimesUntold
	f.PrimeExecs += g.PrimeExecs
}

// judge compares the profile of one program with its trace.
type judge struct {
	files       map[string]string
	died        bool // activations that never ended may be missing
	sites       map[int]*progen.Site
	sitesOf     map[*profile.Function][]*progen.Site
	activations map[*profile.Function][][]event
	functions   []*profile.Function
	profile     *profile.Profile
	counts      map[*profile.Function][]int64 // of runs of statements

	figures  Figures
	failures []*Failure
}

// event is a call of Enter, T or B.
type event struct {
	id      int
	outcome bool
}

// statements returns the counts of f's runs of statements.
func (j *judge) statements(f *profile.Function) []int64 {
	if j.counts[f] == nil {
		j.counts[f] = f.StatementCounts()
	}
	return j.counts[f]
}

func (j *judge) fail(kind string, f *profile.Function, format string, args ...any) {
	j.failures = append(j.failures, &Failure{kind, f.Table.File, f.Table.Name, f.Table.Line, fmt.Sprintf(format, args...)})
}

// load reads what the runs in dir have left.
func (j *judge) load(dir string) error {
	j.sites = (&progen.Program{Files: j.files}).Sites()
	var err error
	if j.profile, err = profile.Load(filepath.Join(dir, "data")); err != nil {
		return err
	}
	if len(j.profile.Damaged) > 0 {
		return fmt.Errorf("%v", j.profile.DamageLines())
	}
	for _, f := range j.profile.Functions() {
		// Not those of the tracer.
		if !strings.HasPrefix(f.Package, progen.Module+"/tr") {
			j.functions = append(j.functions, f)
		}
	}
	j.sitesOf = make(map[*profile.Function][]*progen.Site)
	for _, s := range j.sites {
		if f := j.innermost(s); f != nil {
			j.sitesOf[f] = append(j.sitesOf[f], s)
		}
	}
	trace, err := os.ReadFile(filepath.Join(dir, "trace"))
	if err != nil {
		return err
	}
	return j.read(trace)
}

// read splits the trace into activations.
func (j *judge) read(trace []byte) error {
	byAct := make(map[uint64][]event)
	var order []uint64
	for len(trace) > 0 {
		act, n := binary.Uvarint(trace)
		id, m := binary.Uvarint(trace[max(n, 0):])
		if n <= 0 || m <= 0 {
			return fmt.Errorf("trace is damaged")
		}
		trace = trace[n+m:]
		if byAct[act] == nil {
			order = append(order, act)
		}
		byAct[act] = append(byAct[act], event{int(id / 2), id%2 == 1})
	}
	j.counts = make(map[*profile.Function][]int64)
	j.activations = make(map[*profile.Function][][]event)
	for _, act := range order {
		events := byAct[act]
		s := j.sites[events[0].id]
		if s == nil || s.Func != "Enter" {
			return fmt.Errorf("activation %d does not begin with Enter", act)
		}
		f := j.innermost(s)
		if f == nil {
			return fmt.Errorf("%s:%d: no function there in the profile", s.File, s.Line)
		}
		j.activations[f] = append(j.activations[f], events)
	}
	return nil
}

// innermost returns the function that a site is in. Those of one line have none.
func (j *judge) innermost(s *progen.Site) *profile.Function {
	var best *profile.Function
	for _, f := range j.functions {
		if f.Table.File == s.File && f.Table.Line < s.Line && s.Line <= f.Table.EndLine &&
			(best == nil || f.Table.EndLine-f.Table.Line < best.Table.EndLine-best.Table.Line) {
			best = f
		}
	}
	return best
}

// packages returns how many packages of the program were generated.
func (j *judge) packages() int {
	names := make(map[string]bool)
	for name := range j.files {
		if dir := path.Dir(name); dir != "." && dir != "tr" {
			names[dir] = true
		}
	}
	return len(names)
}

// profileChecks holds the profile against itself and the number of activations.
func (j *judge) profileChecks() {
	j.figures.Programs++
	j.figures.Packages += j.packages()
	if err := j.profile.Check(); err != nil {
		j.failures = append(j.failures, &Failure{Kind: "profile", Text: err.Error()})
	}
	for _, r := range j.profile.Runs {
		if r.Lost > 0 {
			j.failures = append(j.failures, &Failure{Kind: "profile", Text: fmt.Sprintf("%d path executions lost", r.Lost)})
		}
	}
	for _, f := range j.functions {
		if f.Declined() {
			if strings.HasPrefix(f.Table.Declined, "blank function") {
				continue
			}
			j.figures.Declined++
			j.fail("declined", f, "%s", f.Table.Declined)
			continue
		}
		j.figures.Functions++
		if !f.Executed() {
			if n := len(j.activations[f]); n > 0 && !j.died {
				j.fail("profile", f, "not executed, but has %d activations", n)
			}
			delete(j.activations, f)
			continue
		}
		j.figures.Executed++
		j.figures.Merged += f.Table.Merged
		if f.Table.Facts != nil {
			j.figures.Facts++
		}
		acts := j.activations[f]
		if j.died && f.Entries < int64(len(acts)) {
			delete(j.activations, f)
			j.figures.Abandoned++
			continue
		}
		if len(acts) == 0 {
			j.figures.Untraced++
			if len(j.sitesOf[f]) > 0 {
				j.fail("profile", f, "%d entries, but no activation", f.Entries)
			}
			continue
		}
		if f.Entries != int64(len(acts)) {
			j.fail("profile", f, "%d entries, want %d", f.Entries, len(acts))
		}
	}
}
