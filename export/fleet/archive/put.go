package archive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/archive/object"
	"github.com/goprofinstr/goprofinstr/export/fleet/labels"
	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
)

// A Run is what one process has counted until now.
type Run struct {
	Host, Name string    // which identify the run among all of the service: its name has the pid and the start, for example
	Start      time.Time // of the process: it must not change

	Service    string
	Attributes string // that are kept, as in OTEL_RESOURCE_ATTRIBUTES; those of the service and the host are not

	// Final tells that the process has ended and these are the counts that it ended with. Only then does Compact take it.
	Final bool

	// Tables tells that there was no process: these are tables of packages that no process had, with nothing counted.
	Tables bool

	Root string // rundata.Run.Root

	// Tally is all that the run has counted, with its tables. Counts that have been put before are in it.
	Tally *tally.Tally
}

// NameOf returns the name of a run by that of its file: the pid and the start. A run that is put by two names counts twice.
func NameOf(file string) string {
	return strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "run."), ".gpi")
}

// A placed run is where its object is, and which.
type placed struct {
	name string
	sum  [sha256.Size]byte
	at   time.Time
}

// refresh is after what time an object is written again that has not changed, and tables are listed again. Prune may have
// deleted them since: it goes by the time at which objects were written.
const refresh = time.Hour

// grace is how old a table is at least that Prune deletes. PutRun writes those anew that it finds at half of that age. The other
// half is for the time from a list of tables to the counts that refer to them. The list may be an hour old.
const grace = 24 * time.Hour

// ErrRun is wrapped by the error of PutRun for a run that cannot be put. Other errors are the store's.
var ErrRun = errors.New("run")

// PutRun puts what a run has counted into the archive, in place of what it had counted before. Its tables come first, so that
// whoever sees the counts can read them. After an error the archive is as it was, or has some table more, or has the counts.
// These may be beside those of another build that they are in place of, which Compact deletes.
func (a *Archive) PutRun(ctx context.Context, r Run) error {
	if r.Host == "" || r.Name == "" || r.Start.IsZero() || r.Tally == nil {
		return fmt.Errorf("%w %q of host %q: it has no name, no host, no start or no counts", ErrRun, r.Name, r.Host)
	}
	of, counts := labels.Parse(r.Attributes).Shared().String(), r.Tally.WithSums(sha256Of)
	o := &object.Object{
		Service: r.Service, Final: r.Final, Root: r.Root, Parts: []object.Part{{Labels: of, Counts: counts}},
		Runs: []object.Run{{Host: r.Host, Name: r.Name, Start: r.Start.UTC(), Process: !r.Tables, Labels: of}},
	}
	data, err := object.Encode(o)
	if err != nil {
		return fmt.Errorf("%w %q of host %q: %w", ErrRun, r.Name, r.Host, err)
	}
	written, err := a.putTables(ctx, r.Tally, counts)
	if err != nil {
		return err
	}
	name := placeOf(r.Service, buildOf(counts), r.Start).folder(countsFolder) + runName(o.Runs[0])
	if err := a.place(ctx, fmt.Sprintf("%q %q %q", r.Service, r.Host, r.Name), name, data, r.Final); err != nil {
		return err
	}
	if written { // over tables that Prune may just have deleted: from now on it sees the counts
		a.mu.Lock()
		a.listed = time.Time{}
		a.mu.Unlock()
		_, err = a.putTables(ctx, r.Tally, counts)
	}
	return err
}

// sha256Of is the hash that tables are called by.
func sha256Of(table []byte) [sha256.Size]byte { return sha256.Sum256(table) }

// putTables writes the tables of a run that are not there, and those that Prune may be about to delete. It reports whether there
// are any. Sums has the SHA-256 in place of each.
func (a *Archive) putTables(ctx context.Context, run, sums *tally.Tally) (written bool, err error) {
	if err := a.listTables(ctx); err != nil {
		return false, err
	}
	for i := range run.Packages {
		sum := hex.EncodeToString(sums.Packages[i].Table)
		a.mu.Lock()
		at, ok := a.tables[sum]
		a.mu.Unlock()
		if ok && a.now().Sub(at) < grace/2 {
			continue
		}
		if err := a.store.Put(ctx, tablesFolder+sum, run.Packages[i].Table); err != nil {
			return written, err
		}
		written = true
		a.mu.Lock()
		a.tables[sum] = a.now()
		a.mu.Unlock()
	}
	return written, nil
}

// listTables lists the tables that are there, unless they were listed a short time ago.
func (a *Archive) listTables(ctx context.Context) error {
	now := a.now()
	a.mu.Lock()
	listed := a.listed
	a.mu.Unlock()
	if !listed.IsZero() && now.Sub(listed) < refresh {
		return nil
	}
	infos, err := a.store.List(ctx, tablesFolder)
	if err != nil {
		return err
	}
	tables := make(map[string]time.Time)
	for _, info := range infos {
		tables[path.Base(info.Name)] = info.Modified
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tables, a.listed = tables, now
	return nil
}

// place writes the object of a run, unless it is there as it is. A process that was looked at while it started had not all
// of its packages yet. So its object was another build's, and that one goes.
func (a *Archive) place(ctx context.Context, run, name string, data []byte, final bool) error {
	sum := sha256.Sum256(data)
	a.mu.Lock()
	before, ok := a.placed[run]
	a.mu.Unlock()
	if ok && before.name == name && before.sum == sum && a.now().Sub(before.at) < refresh {
		return nil
	}
	if err := a.store.Put(ctx, name, data); err != nil {
		return err
	}
	var err error
	if ok && before.name != name {
		err = a.store.Delete(ctx, before.name)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if final && err == nil {
		delete(a.placed, run)
	} else {
		a.placed[run] = placed{name, sum, a.now()}
	}
	return err
}

// errTable is for tables that are not those that their names say.
var errTable = errors.New("it is damaged: its SHA-256 is not the one in its name")

// table returns a table by its SHA-256.
func (a *Archive) table(ctx context.Context, sum string) ([]byte, error) {
	data, err := a.read(ctx, tablesFolder+sum)
	if err != nil {
		return nil, err
	}
	if got := sha256.Sum256(data); hex.EncodeToString(got[:]) != sum {
		return nil, errTable
	}
	return data, nil
}
