package follow

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// A Run is a process that is followed, or was.
type Run struct {
	rundata.Run // what its header says: packages and samples are left out

	Now      *tally.Tally // what it has counted until now
	Ended    bool         // its process lives no more, and Now is the last word; never where that is not known
	Vanished bool         // its file was removed before it ended, and is not open: what it counts from then on is lost
	Err      error        // why it is not read any more, as a line

	sure   *tally.Tally // what later samples will hardly take back of Now; Now itself if it is no estimate
	name   string
	info   os.FileInfo // of the file when it was read last
	root   os.FileInfo // of the profile directory when the file was found; nil if it was gone then
	away   time.Time   // since when that is away or another one; zero if it is not, as far as anybody has looked
	file   *os.File    // the file of a run that is watched; nil if it is not open
	poller *rundata.Poller
	looked time.Time // when all counters were read
	carry  tally.Carry

	tracker  tally.Tracker
	contexts *rundata.Contexts // nil if there are none, or if they are not asked for
	times    tally.ContextCarry
}

// Delta returns what was counted since the last Delta. All of them add up to Now when the run has ended. Until then, of an
// estimate that may shrink a part is held back. Of a run with calling contexts a delta has what was spent in these, if
// Options.Contexts asks for them.
func (r *Run) Delta() (*tally.Tally, error) {
	delta, err := r.carry.Next(r.sure)
	if err != nil || r.contexts == nil {
		return delta, err
	}
	if since, some := r.times.Next(r.contexts); some {
		delta.Contexts = []*rundata.Contexts{since}
	}
	return delta, nil
}

// Last reports whether Now is the last that is known of the run: it has ended, or its file has vanished.
func (r *Run) Last() bool { return r.Ended || r.Vanished }

// Over returns how many executions the deltas have more than Now: what estimates have lost.
func (r *Run) Over() uint64 { return r.carry.Over(r.Now) }

// poll reads a file again. It reports whether there is something new.
func (f *Follower) poll(r *Run, file *os.File, info os.FileInfo) (changed bool) {
	before := r.info
	if r.info = info; before != nil && r.Now != nil && info.Size() < before.Size() {
		r.Err = fmt.Errorf("%s has been cut short, from %d bytes to %d; what was read before is kept", r.name, before.Size(), info.Size())
		return true
	}
	alive, known := rundata.Locked(file) // before it is read: what a process counts until it ends is in the file then
	ended := known && !alive
	contexts := r.contexts
	now, sure, err := f.read(r, file, info.Size(), ended)
	switch {
	case errors.Is(err, rundata.ErrEmpty):
		return false
	case err != nil:
		r.Err = err
		return true
	}
	first := r.Now == nil
	if changed = first || r.Ended != ended || r.contexts != contexts || !same(r.Now, now); !changed {
		return false // and Now is what it was
	}
	r.Now, r.sure, r.Ended = now, sure, ended
	if first {
		f.restore(r)
	}
	return changed
}

// lookAgain is how long counters that have counted nothing may be left alone. It is less than a minute, so that at the usual
// interval all counters are read each time.
const lookAgain = 50 * time.Second

// pollCounts polls a file. All counters are looked at from time to time, and where that is needed; of a run that has ended they
// are read otherwise.
func (f *Follower) pollCounts(r *Run, file *os.File, at time.Time, ended bool) error {
	p := r.poller
	p.Quick = f.how != exactly && at.Sub(r.looked) < lookAgain && !f.live.NeedsAll(p.Packages)
	err := p.Poll(file)
	if err == nil && p.Quick && !ended && r.tracker.Due(p, at) { // estimates are made of all counts
		p.Quick = false
		err = p.Poll(file)
	}
	if err == nil && !p.Quick {
		r.looked = at
	}
	return err
}

// read returns the tally of a file. While its process lives counts alone are read, and what windows saw, if estimates follow from
// that. Of one that has ended everything is, for a killed process may have left a record half-made.
func (f *Follower) read(r *Run, file *os.File, size int64, ended bool) (now, sure *tally.Tally, err error) {
	if r.poller == nil {
		r.poller = &rundata.Poller{Keep: f.keep, Contexts: f.options.Contexts}
	}
	began := f.options.Now()
	if err := f.pollCounts(r, file, began, ended); err != nil {
		return nil, nil, err
	}
	r.Run = r.poller.Run
	if !r.poller.Sampled && !ended {
		packages, names := f.live.Named(r.poller.Packages, r.Run.Names)
		now = tally.OfRun(&r.Run, packages, names)
		return now, now, nil
	}
	if r.contexts, r.Run.Contexts = r.Run.Contexts, nil; !ended {
		if f.how == exactly {
			now, sure, err = tally.OfPoller(r.poller, f.live)
		} else {
			now, sure, err = r.tracker.Next(r.poller, f.live, began)
		}
		if !errors.Is(err, profile.ErrNotLive) {
			return now, sure, err
		}
		if f.how == watching {
			return cmp.Or(r.Now, new(tally.Tally)), cmp.Or(r.sure, new(tally.Tally)), nil
		}
	}
	run, err := rundata.Read(file, size)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range run.Packages {
		p.Table = f.keep(p.Table)
	}
	if f.options.Contexts {
		r.contexts = run.Contexts
	}
	now, sure, err = tally.OfLive(run, &f.tables)
	if ended {
		sure = now
	}
	return now, sure, err
}

// same reports whether two tallies of one run have the same counts.
func same(before, now *tally.Tally) bool {
	return slices.EqualFunc(before.Packages, now.Packages, func(a, b rundata.Sparse) bool {
		return a.Path == b.Path && slices.Equal(a.Counters, b.Counters) && slices.EqualFunc(a.Hashes, b.Hashes, slices.Equal)
	})
}
