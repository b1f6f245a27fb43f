package auditwatch

import (
	"math"
	"time"

	"github.com/goprofinstr/goprofinstr/export/audit"
	"github.com/goprofinstr/goprofinstr/export/verdict"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// A trial decides from the timings of a function, or from those of a loop.
type trial interface {
	Decided() bool
	Result() verdict.Result
}

// drain takes new timings to the trial.
func (f *auditedFunction) drain(a *rundata.Audit, ended bool) error {
	wanted := func(version int) bool {
		if f.began.IsZero() {
			f.began = time.Now()
		}
		return f.settled < 0 && version < len(f.copies.of)
	}
	if f.laps != nil {
		return a.DrainLaps(ended, func(version int, l rundata.Lap) {
			if wanted(version) {
				at := f.copies.of[version]
				f.laps.AddCopy(at.version, at.copy, l.Passes, float64(l.Ticks), l.First)
			}
		})
	}
	calls := f.trial.(*verdict.Trial)
	return a.Drain(ended, func(version int, ticks uint64) {
		if wanted(version) {
			at := f.copies.of[version]
			calls.AddCopy(at.version, at.copy, float64(ticks))
		}
	})
}

// joinLoop finds the function that a loop is in. Its record comes first.
func (w *Watcher) joinLoop(loop *auditedFunction) {
	if f := w.functions[loop.first.Of]; f != nil {
		f.loops, loop.of = append(f.loops, loop), f
	}
}

// agree settles what follows from a decision on f: the loops of a function are timed no more, and a function whose
// loops say all the same need not be called often enough for its own timings to say it.
func (w *Watcher) agree(f *auditedFunction) {
	of := f.of
	for _, l := range f.loops {
		if l.settled < 0 {
			l.settleOn(f.settled)
		}
	}
	if of == nil || of.settled >= 0 {
		return
	}
	for _, l := range of.loops {
		if l.decided == 0 || l.settled != f.settled {
			return
		}
	}
	of.settleOn(f.settled)
	say("%s: %s from now on, by its loops", of.name, audit.Letter(f.settled))
}

// settleOn has programs call a version, and time nothing.
func (f *auditedFunction) settleOn(version int) {
	f.settled = version
	for _, a := range f.in {
		f.settle(a)
	}
}

// foundAll returns what was found about a function and its loops.
func (f *auditedFunction) foundAll() []audit.Function {
	all := []audit.Function{f.found()}
	for _, l := range f.loops {
		all = append(all, l.found())
	}
	return all
}

// aboutLaps completes what was found about a loop.
func (f *auditedFunction) aboutLaps(out *audit.Function) {
	if f.laps == nil {
		return
	}
	out.Passes = f.laps.Passes()
	if d := f.laps.DesignEffect(); !math.IsNaN(d) {
		out.DesignEffect = d
	}
	for i := range out.Versions {
		out.Versions[i].Open = 0 // calls come by, and do not return to a point
	}
}
