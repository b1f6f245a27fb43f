// Package snapshot tells what programs have counted since it was last asked, as if their counters had been reset.
//
//	runs, err := snapshot.Take(ctx, "/var/lib/shop/profile", "login") // what the login test has done is in archive login
//	…
//	runs, err = snapshot.Take(ctx, "/var/lib/shop/profile", "order")  // and what came after it in archive order
//	runs, err = snapshot.Take(ctx, "/var/lib/shop/profile", "")       // what came then is in no archive
//
// Nothing is reset. A program adds to its counters without looking. Whoever wrote a zero would take away what is being added,
// or have it put back. A file beside the run files says how much of each run was in snapshots before, and is subtracted
// (packages follow and tally). So all snapshots together have what the programs have counted, each execution in one of them. A
// path belongs to the snapshot in which it ends.
//
// # Not handled
//
// Counts of sampled programs are estimates, which later samples may lower. So a part of them is held back until it is sure,
// and the snapshot after the end has it. What an archive has not, snapshots have not: calling contexts, and what exact
// intervals of estimates need.
package snapshot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/goprofinstr/goprofinstr/export/fleet/archive"
	"github.com/goprofinstr/goprofinstr/export/fleet/follow"
	"github.com/goprofinstr/goprofinstr/export/fleet/internal/statefile"
	"github.com/goprofinstr/goprofinstr/export/fleet/labels"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// stateName is the file in a profile directory that says what was in snapshots. Its name is that of no run file.
const stateName = "goprofinstr.snapshots"

// A state is what the file has.
type state struct {
	Version int
	Taken   time.Time     // the last snapshot
	Sent    []follow.Sent // of each run, how much was in snapshots
}

const stateVersion = 1

// Taken is what a snapshot has.
type Taken struct {
	Runs  int       // that have counted something since the last one
	Since time.Time // when that was; zero for the first one
	Bad   []error   // runs that cannot be read
}

// Take writes what the programs that write to directory dir have counted since the last snapshot to a new archive out,
// "" for none. Only if that is whole it counts as the last one.
func Take(ctx context.Context, dir, out string) (*Taken, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	unlock, err := lockedfile.MutexAt(filepath.Join(dir, stateName+".lock")).Lock()
	switch {
	case err == nil:
		defer unlock()
	case !profiledir.NoLocks(err):
		return nil, err
	}
	before, err := readState(dir)
	if err != nil {
		return nil, err
	}
	f := follow.New(follow.Options{Dirs: []string{dir}})
	f.Restore(found(dir, before.Sent))
	taken := &Taken{Since: before.Taken}
	now := time.Now()
	var a *archive.Archive
	if out != "" {
		if a, err = create(ctx, out); err != nil {
			return nil, err
		}
	}
	for _, r := range f.Poll() {
		if r.Err != nil {
			taken.Bad = append(taken.Bad, r.Err)
			continue
		}
		if err := taken.add(ctx, a, r); err != nil {
			return nil, err
		}
	}
	after := &state{Version: stateVersion, Taken: now, Sent: f.Sent()}
	return taken, after.write(dir)
}

// found returns what was in snapshots under names of files in a directory, which may be called otherwise than before.
func found(dir string, sent []follow.Sent) []follow.Sent {
	for i := range sent {
		sent[i].Name = filepath.Join(dir, filepath.Base(sent[i].Name))
	}
	return sent
}

// create makes an archive where there is nothing.
func create(ctx context.Context, out string) (*archive.Archive, error) {
	if entries, err := os.ReadDir(out); err == nil && len(entries) > 0 {
		return nil, fmt.Errorf("%s is not empty; a snapshot is a folder of its own", out)
	}
	return archive.Create(ctx, out)
}

// add puts what a run has counted into an archive, which may be nil.
func (t *Taken) add(ctx context.Context, a *archive.Archive, r *follow.Run) error {
	delta, err := r.Delta()
	if err != nil {
		return err
	}
	if !delta.IsZero() {
		t.Runs++
	}
	if a == nil {
		return nil
	}
	host, err := os.Hostname()
	if err != nil {
		host = "host"
	}
	return a.PutRun(ctx, archive.Run{
		Host: host, Name: fmt.Sprintf("%d.%d", r.Pid, r.Start.UnixNano()), Start: r.Start, Service: labels.ToldService(&r.Run),
		Attributes: labels.Parse(r.Attributes).Only(nil).String(), Final: true, Root: r.Root, Tally: delta,
	})
}

func readState(dir string) (*state, error) {
	name, s := filepath.Join(dir, stateName), new(state)
	found, err := statefile.Read(name, s)
	switch {
	case errors.Is(err, statefile.ErrDamaged):
		return nil, fmt.Errorf("%s: %w; without it the next snapshot has all that was counted", name, err)
	case err != nil:
		return nil, err
	case found && s.Version != stateVersion:
		return nil, fmt.Errorf("%s: version %d; this goprofinstr reads version %d", name, s.Version, stateVersion)
	}
	return s, nil
}

// write writes the file, all of it or nothing.
func (s *state) write(dir string) error { return statefile.Write(filepath.Join(dir, stateName), s) }
