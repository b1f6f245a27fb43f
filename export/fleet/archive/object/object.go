package object

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// An Object is what one run has counted until now, or several have in all.
type Object struct {
	Service string // that the runs are of
	Final   bool   // all of the runs have ended: their counts do not change any more
	Root    string // folder that names of files in path tables were relative to when the program was built, or ""; the least, of several

	Runs  []Run  // by host, name and start
	Parts []Part // by labels, no two alike: of each run's labels there is one
}

// A Part is what the runs with the same labels have counted together.
type Part struct {
	Labels string       // as in OTEL_RESOURCE_ATTRIBUTES
	Counts *tally.Tally // packages have, as Table, the SHA-256 of the table
}

// A Run is one that is in an object.
type Run struct {
	Host, Name string // which identify it, with its start
	Start      time.Time
	Process    bool   // it was a process, and not only tables of packages that no process had
	Labels     string // of the part that it is in
	Sum        Sum    // of what it has counted; Encode sets that of an object's only run
}

// A Sum tells whether counts are those of another object, too.
type Sum [sumLen]byte

// Compare orders runs by host and name. Those that are equal are the same run.
func (r Run) Compare(o Run) int {
	return cmp.Or(cmp.Compare(r.Host, o.Host), cmp.Compare(r.Name, o.Name))
}

// ErrTwice is returned by Add for a run that is in both.
var ErrTwice = errors.New("a run that would count twice")

// Find returns the run of o that is the same as r, nil if there is none.
func (o *Object) Find(r Run) *Run {
	i, ok := slices.BinarySearchFunc(o.Runs, r, Run.Compare)
	if !ok {
		return nil
	}
	return &o.Runs[i]
}

// Add adds the runs and counts of p, all of them or, if there is an error, none.
func (o *Object) Add(p *Object) error {
	for i := range p.Runs {
		if o.Find(p.Runs[i]) != nil {
			return ErrTwice
		}
	}
	parts := slices.Clone(o.Parts)
	for _, part := range p.Parts {
		i, ok := findPart(parts, part.Labels)
		if !ok {
			parts = slices.Insert(parts, i, Part{Labels: part.Labels, Counts: new(tally.Tally)})
		}
		sum := *parts[i].Counts
		add := sum.Add
		if !o.counted(part.Labels) || !p.counted(part.Labels) {
			add = sum.AddTables
		}
		if err := add(part.Counts); err != nil {
			return err
		}
		parts[i].Counts = &sum
	}
	o.Final = p.Final && (o.Final || len(o.Runs) == 0)
	o.Root = rundata.LeastRoot(o.Root, p.Root)
	o.Runs, o.Parts = union(o.Runs, p.Runs), parts
	return nil
}

// findPart returns where the part with some labels is in a list, or belongs.
func findPart(parts []Part, labels string) (int, bool) {
	return slices.BinarySearchFunc(parts, labels, func(p Part, labels string) int { return cmp.Compare(p.Labels, labels) })
}

// Total returns the counts of all parts.
func (o *Object) Total() (*tally.Tally, error) {
	total, counted := new(tally.Tally), false
	for _, p := range o.Parts {
		add := total.Add
		if !counted || !o.counted(p.Labels) {
			add = total.AddTables
		}
		if err := add(p.Counts); err != nil {
			return nil, err
		}
		counted = counted || o.counted(p.Labels)
	}
	return total, nil
}

// counted reports whether there is a process among the runs with some labels. Others have tables alone, of functions that
// processes could count or not.
func (o *Object) counted(labels string) bool {
	return slices.ContainsFunc(o.Runs, func(r Run) bool { return r.Process && r.Labels == labels })
}

// Keep leaves only runs and parts whose labels are such that keep returns true.
func (o *Object) Keep(keep func(labels string) bool) {
	o.Runs = slices.DeleteFunc(slices.Clone(o.Runs), func(r Run) bool { return !keep(r.Labels) })
	o.Parts = slices.DeleteFunc(slices.Clone(o.Parts), func(p Part) bool { return !keep(p.Labels) })
}

// union merges two lists in order. A list that grows by one run at a time is not sorted again.
func union(a, b []Run) []Run {
	if len(b) == 1 {
		i, _ := slices.BinarySearchFunc(a, b[0], Run.Compare)
		return slices.Insert(a, i, b[0])
	}
	all := slices.Concat(a, b)
	slices.SortFunc(all, Run.Compare)
	return all
}
