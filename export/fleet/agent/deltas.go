package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/fleet/follow"
	"github.com/goprofinstr/goprofinstr/export/fleet/labels"
	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// A Delta is what the processes of one build, with the same labels, have counted in an interval.
type Delta struct {
	Labels labels.Set // those that are allowed
	Tables string     // hash of the path tables
	Counts *tally.Tally
}

// deltas reads what there is, and returns what is new since the last call. It also returns the runs that have changed since:
// others may have had them read in between. An error costs the counts of the runs that it is about. It is called with a.mu held.
func (a *Agent) deltas() (list []Delta, runs []*follow.Run, err error) {
	a.say(a.follower.Track())
	var errs []error
	for _, r := range a.follower.Runs() {
		if !a.hasNew(r) {
			continue
		}
		a.seen[r] = seenOf(r)
		counts, err := r.Delta()
		if err == nil && !counts.HasNothing() {
			a.limitLabels(counts.Contexts)
			list, err = addDelta(list, labels.Of(&r.Run).Only(a.options.Labels), counts)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", r.Name, err))
		}
		runs = append(runs, r)
	}
	for i := range list {
		list[i].Tables = a.tablesHash(list[i].Counts)
	}
	return list, runs, errors.Join(errs...)
}

// limitLabels takes labels of goroutines out of calling contexts but for those that may leave the machine. A server would have a
// series of each value, such as a user.
func (a *Agent) limitLabels(contexts []*rundata.Contexts) {
	for _, c := range contexts {
		for i := range c.Nodes {
			n := &c.Nodes[i]
			n.Labels = slices.DeleteFunc(slices.Clone(n.Labels), func(l pcct.Label) bool { return !labels.Kept(a.options.Labels, l.Key) })
		}
	}
}

// seen is what there was of a run when deltas were made.
type seen struct {
	now  *tally.Tally
	last bool // nothing comes after it
}

func seenOf(r *follow.Run) seen { return seen{r.Now, r.Last()} }

// hasNew reports whether a run has been read with something new since deltas were made.
func (a *Agent) hasNew(r *follow.Run) bool { return a.seen[r] != seenOf(r) }

// addDelta adds counts to the delta with the same labels that they agree with.
func addDelta(list []Delta, of labels.Set, counts *tally.Tally) ([]Delta, error) {
	i := slices.IndexFunc(list, func(d Delta) bool { return maps.Equal(d.Labels, of) && d.Counts.Agrees(counts) })
	if i < 0 {
		i = len(list)
		list = append(list, Delta{Labels: of, Counts: new(tally.Tally)})
	}
	return list, list[i].Counts.Add(counts)
}

// tablesHash returns a hash of all path tables: a build has one.
func (a *Agent) tablesHash(t *tally.Tally) string {
	h := sha256.New()
	for i := range t.Packages {
		sum := a.follower.Sum(t.Packages[i].Table)
		fmt.Fprintf(h, "%s\x00%x\n", t.Packages[i].Path, sum)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
