package agent

import (
	"github.com/goprofinstr/goprofinstr/export/fleet/follow"
	"github.com/goprofinstr/goprofinstr/export/fleet/labels"
	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
)

// A gone is the sum of runs of one build of a service that have ended or vanished, and whose files are gone. There may be
// thousands of them an hour.
type gone struct {
	service string
	start   int64 // of the last of them, Unix time in nanoseconds
	runs    int
	counts  tally.Tally
}

// fold adds runs that have ended or vanished, and whose files are gone, to those that were before them. Where there are
// deltas, a run waits until these have all of it: a request may have read more since.
func (a *Agent) fold(deltas bool) {
	for _, r := range a.follower.Runs() {
		if r.Last() && a.follower.Gone(r) && !(deltas && a.hasNew(r)) {
			a.addGone(r)
		}
	}
}

func (a *Agent) addGone(r *follow.Run) {
	service := labels.Of(&r.Run).Service()
	var of *gone
	for _, g := range a.gone {
		if g.service == service && g.counts.Agrees(r.Now) {
			of = g
			break
		}
	}
	if of == nil {
		of = &gone{service: service}
		a.gone = append(a.gone, of)
	}
	if of.counts.Add(r.Now) != nil {
		return // the sum has more than 64 bits
	}
	of.start, of.runs = max(of.start, r.Start.UnixNano()), of.runs+1
	a.follower.Forget(r)
	delete(a.seen, r)
}
