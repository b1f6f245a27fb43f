package agent

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	google "github.com/google/pprof/profile"

	"github.com/goprofinstr/goprofinstr/export/fleet/archive"
	"github.com/goprofinstr/goprofinstr/export/fleet/follow"
	"github.com/goprofinstr/goprofinstr/export/fleet/labels"
	"github.com/goprofinstr/goprofinstr/export/fleet/push"
	"github.com/goprofinstr/goprofinstr/export/fleet/spool"
	"github.com/goprofinstr/goprofinstr/export/pprof"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// A Forwarder hands on what runs count: to servers, what is new in each interval, and to an archive, all that each run has.
type Forwarder struct {
	Agent   *Agent
	Sender  *spool.Sender    // or nil
	Archive *archive.Archive // or nil

	// Open opens the archive, if it is not open. It is called in each interval until there is no error.
	Open func(context.Context) (*archive.Archive, error)

	State  string // folder for what has been handed on, so that another process can go on; "" without a Sender
	Host   string // as the archive calls this machine
	Remove bool   // remove the files of runs that have ended, when all of it has been handed on

	Now func() time.Time // the clock; nil is time.Now

	state   *state
	waiting map[string]waiting // to be archived, by name of the file
	done    []string           // files that are to be removed
	last    time.Time          // end of the interval before
	told    bool               // that the state cannot be written
	stuck   bool               // files that are done cannot be removed, which was told
}

// A waiting run is to be archived.
type waiting struct {
	archive.Run
	ended bool // its file may be removed then; that of a run which has vanished may come back, of a process that lives
}

// Start reads what another process has left. It is called before the first Interval.
func (f *Forwarder) Start() error {
	if f.Now == nil {
		f.Now = time.Now
	}
	f.waiting = make(map[string]waiting)
	var err error
	if f.state, err = readState(f.State, f.Now()); err != nil {
		return err
	}
	if f.Sender != nil { // which has later batches if the state could not be written, and would ignore new ones with their numbers
		f.state.Seq = max(f.state.Seq, f.Sender.Last())
	}
	f.last = f.Now()
	f.Agent.mu.Lock()
	f.Agent.follower.Restore(f.state.Sent)
	f.Agent.mu.Unlock()
	return f.addPending()
}

// Interval hands on what was counted since the last one. An error says what could not be: it is tried again, but for counts
// that make no sense.
func (f *Forwarder) Interval(ctx context.Context) error {
	end := f.Now()
	err := f.collect(end)
	f.last = end
	err = errors.Join(err, f.save(), f.addPending(), f.flush(ctx, end), f.dropPending(), f.putRuns(ctx))
	f.Agent.mu.Lock()
	defer f.Agent.mu.Unlock()
	f.Agent.fold(true)
	return err
}

// flush sends what is new. If there is not much time, the archive has half of it.
func (f *Forwarder) flush(ctx context.Context, end time.Time) error {
	if f.Sender == nil {
		return nil
	}
	if deadline, ok := ctx.Deadline(); ok && f.archives() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/2)
		defer cancel()
	}
	return f.Sender.Flush(ctx, end)
}

// archives tells that there is an archive, open or not.
func (f *Forwarder) archives() bool { return f.Archive != nil || f.Open != nil }

// collect makes batches of what is new, and notes them together with what all deltas add up to now.
func (f *Forwarder) collect(end time.Time) error {
	f.Agent.mu.Lock()
	defer f.Agent.mu.Unlock()
	deltas, runs, err := f.Agent.deltas()
	errs := []error{err}
	f.state.Pending = nil
	if f.Sender != nil {
		for i := range deltas {
			errs = append(errs, f.addBatches(&deltas[i], end))
		}
	}
	f.state.Sent = f.Agent.follower.Sent()
	for _, r := range runs {
		f.waiting[r.Name] = waiting{f.archived(r), r.Ended}
	}
	return errors.Join(errs...)
}

// addBatches makes batches of a delta.
func (f *Forwarder) addBatches(d *Delta, end time.Time) error {
	p, err := d.Counts.Profile(f.Agent.follower.Tables())
	if err != nil {
		return err
	}
	for _, of := range sentKinds {
		data, err := encode(of, p)
		if err != nil {
			return err
		}
		f.state.Seq++
		f.state.Pending = append(f.state.Pending, pending{
			Name: of.name, Labels: d.Labels, Tables: d.Tables, Seq: f.state.Seq, Start: f.last, Duration: end.Sub(f.last), Profile: data,
		})
	}
	return nil
}

// archived returns a run as the archive takes it.
func (f *Forwarder) archived(r *follow.Run) archive.Run {
	of := labels.Of(&r.Run)
	return archive.Run{
		Host: f.Host, Name: archive.NameOf(r.Name), Start: r.Start, Service: of.Service(),
		Attributes: of.Only(f.Agent.options.Labels).String(), Final: r.Last(), Root: r.Root, Tally: r.Now,
	}
}

// sentKinds are the profiles that servers get: edges follow from paths.
var sentKinds = []kind{
	{name: push.Paths, encode: pprof.WritePaths},
	{name: push.Calls, encode: pprof.WriteCalls},
}

func encode(k kind, p *profile.Profile) ([]byte, error) {
	var b bytes.Buffer
	err := k.encode(&b, p)
	return b.Bytes(), err
}

// addPending has the sender take the batches of the state. Those that it took before a crash it ignores.
func (f *Forwarder) addPending() error {
	if f.Sender == nil {
		return nil
	}
	var errs []error
	for _, b := range f.state.Pending { // all of them: the next interval has others
		p, err := google.ParseData(b.Profile)
		if err == nil {
			err = f.Sender.Add(push.Batch{
				Name: b.Name, Labels: b.Labels, Tables: b.Tables, Seq: b.Seq, Start: b.Start, Duration: b.Duration, Profile: p,
			})
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("a batch of the agent's state: %w", err))
		}
	}
	return errors.Join(errs...)
}

// dropPending takes the batches out of the state if the next process would send again what has been sent.
func (f *Forwarder) dropPending() error {
	if f.Sender == nil || len(f.state.Pending) == 0 || !f.Sender.Forgets() {
		return nil
	}
	f.state.Pending = nil
	return f.save()
}

// save writes the state. While it cannot be written, what is handed on may be so again after a restart, which is told once.
func (f *Forwarder) save() error {
	if f.State == "" {
		return nil
	}
	err := f.state.write(f.State)
	if err != nil && !f.told {
		f.told = true
		return fmt.Errorf("the agent's state: %w; if the agent ends now, some counts will be sent twice", err)
	}
	f.told = f.told && err != nil
	return nil
}

// mostPut is how long runs are put into the archive. Nothing is read or sent meanwhile, and the usual interval is a minute.
const mostPut = time.Minute

// mostFailed is how many errors of the archive's store in a row are not of the runs that were to be put, but of the store.
const mostFailed = 3

// putRuns puts what runs have counted into the archive, and removes files that are not needed any more. If the store fails or
// takes long, the other runs wait for the next interval: each of them could take minutes.
func (f *Forwarder) putRuns(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, mostPut)
	defer cancel()
	var errs []error
	failed := 0 // in a row
	if f.Archive == nil && f.Open != nil {
		var err error
		if f.Archive, err = f.Open(ctx); err != nil {
			errs, failed = append(errs, err), mostFailed
		}
	}
	for name, r := range f.waiting {
		if f.archives() {
			if ctx.Err() != nil || failed == mostFailed {
				break
			}
			if err := f.Archive.PutRun(ctx, r.Run); err != nil {
				errs = append(errs, err)
				if !errors.Is(err, archive.ErrRun) {
					failed++
				}
				continue
			}
			failed = 0
		}
		delete(f.waiting, name)
		if f.Remove && r.ended {
			f.done = append(f.done, name)
		}
	}
	return errors.Join(append(errs, f.removeDone())...)
}

// removeDone removes the files that are done, once the state says so. Those that cannot be removed stay in the list, which is
// told once. Files are never truncated: that would kill a process that has them mapped.
func (f *Forwarder) removeDone() (first error) {
	if f.told {
		return nil
	}
	f.done = slices.DeleteFunc(f.done, func(name string) bool {
		err := os.Remove(name)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return true
		}
		first = cmp.Or(first, err)
		return false
	})
	if first == nil || f.stuck {
		f.stuck = first != nil
		return nil
	}
	f.stuck = true
	return fmt.Errorf("the file of a run that has ended cannot be removed: %w; "+
		"the agent must be allowed to write to its directory, and tries again each interval", first)
}
