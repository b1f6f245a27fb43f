package object

import (
	"cmp"
	"slices"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
)

// An Object is what one run has counted until now, or several have in all.
type Object struct {
	Service    string // that the runs are of
	Attributes string // what else is known of a run, as in OTEL_RESOURCE_ATTRIBUTES; "" of several runs
	Final      bool   // all of the runs have ended: their counts do not change any more

	Runs []Run // by host and name

	// Counts are those of all runs together. Their packages have, as Table, the SHA-256 of the table.
	Counts *tally.Tally
}

// A Run is one that is in an object.
type Run struct {
	Host, Name string // which identify it
	Start      time.Time
	Process    bool // it was a process, and not only tables of packages that no process had
	Sum        Sum  // of what it has counted; Encode sets that of an object's only run
}

// A Sum tells whether counts are those of another object, too.
type Sum [sumLen]byte

// Compare orders runs by host and name. Those that are equal are the same run.
func (r Run) Compare(o Run) int {
	return cmp.Or(cmp.Compare(r.Host, o.Host), cmp.Compare(r.Name, o.Name))
}

// Find returns the run of o that is the same as r, nil if there is none.
func (o *Object) Find(r Run) *Run {
	i, ok := slices.BinarySearchFunc(o.Runs, r, Run.Compare)
	if !ok {
		return nil
	}
	return &o.Runs[i]
}

// Add adds the runs and counts of p, all of them or, if there is an error, none. No run may be in both.
func (o *Object) Add(p *Object) error {
	if o.Counts == nil {
		o.Counts = &tally.Tally{}
	}
	first := len(o.Runs) == 0
	if err := o.Counts.Add(p.Counts); err != nil {
		return err
	}
	o.Runs = append(o.Runs, p.Runs...)
	slices.SortFunc(o.Runs, Run.Compare)
	o.Final = p.Final && (o.Final || first)
	return nil
}
