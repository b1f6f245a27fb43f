package archive

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/archive/store"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// Pruned is what Prune has done.
type Pruned struct {
	Objects int // of counts
	Tables  int
	Bytes   int64
	Damaged []profile.Damage
}

// Prune deletes the counts of runs that started on a day before that of a time, in UTC. The object of a run stays as long as it
// is written: a process may run for longer. Tables that nothing refers to any more go, too, if they were written before then, and
// a day ago at least. None goes if something cannot be read that might refer to it.
func (a *Archive) Prune(ctx context.Context, before time.Time) (*Pruned, error) {
	done := new(Pruned)
	for _, top := range []string{countsFolder, daysFolder, store.Temporary} {
		infos, err := a.store.List(ctx, top)
		if err != nil {
			return done, err
		}
		for _, info := range infos {
			if !isOld(top, info, before) {
				continue
			}
			if err := a.delete(ctx, info, done, &done.Objects); err != nil {
				return done, err
			}
		}
	}
	if youngest := a.now().Add(-grace); youngest.Before(before) {
		before = youngest
	}
	return done, a.pruneTables(ctx, before, done)
}

// isOld reports whether an object is one that Prune deletes.
func isOld(top string, info store.Info, before time.Time) bool {
	_, p, err := parse(info.Name)
	written := info.Modified.Before(before)
	switch day := before.UTC().Format(dayFormat); {
	case top == store.Temporary:
		return written
	case top == daysFolder:
		return err == nil && p.day < day // whatever is in it has ended, and may have been compacted late
	default:
		return err == nil && p.day < day && written
	}
}

func (a *Archive) delete(ctx context.Context, info store.Info, done *Pruned, n *int) error {
	if err := a.store.Delete(ctx, info.Name); err != nil {
		return err
	}
	*n, done.Bytes = *n+1, done.Bytes+info.Size
	return nil
}

// pruneTables deletes tables without counts. The tables are listed first: what is put meanwhile writes its tables before its
// counts.
func (a *Archive) pruneTables(ctx context.Context, before time.Time, done *Pruned) error {
	infos, err := a.store.List(ctx, tablesFolder)
	if err != nil {
		return err
	}
	u := users{seen: make(map[string]bool), tables: make(map[string]bool)}
	if done.Damaged, err = a.users(ctx, u); err != nil || len(done.Damaged) > 0 {
		return err
	}
	infos = slices.DeleteFunc(infos, func(info store.Info) bool { return u.tables[info.Name] || !info.Modified.Before(before) })
	for some := range slices.Chunk(infos, mostHeld) {
		if err := a.deleteTables(ctx, some, u, done); err != nil {
			return err
		}
	}
	return nil
}

// users are what refers to tables.
type users struct {
	seen   map[string]bool // objects of counts by name, which has a hash of the tables: others of that name refer to the same
	tables map[string]bool // that they refer to, by name
}

// users adds what has come since it was last called. What cannot be read is returned. It looks again when something has been
// deleted meanwhile, as by a compaction: what that has made of it is in the next list.
func (a *Archive) users(ctx context.Context, u users) (damaged []profile.Damage, err error) {
	for range mostTries {
		damaged, err = a.usersNow(ctx, u)
		if !errors.Is(err, fs.ErrNotExist) {
			return damaged, err
		}
	}
	return damaged, fmt.Errorf("%s: %w: %w", a.title, errChanged, err)
}

// usersNow adds what refers to tables. The error says if something of it was deleted meanwhile. Compaction moves counts from runs
// to days, and so does this.
func (a *Archive) usersNow(ctx context.Context, u users) (damaged []profile.Damage, err error) {
	var deleted error
	for _, top := range []string{countsFolder, daysFolder} {
		objects, err := a.store.List(ctx, top)
		if err != nil {
			return damaged, err
		}
		for _, info := range objects {
			if u.seen[info.Name] {
				continue
			}
			o, err := a.get(ctx, info.Name)
			switch {
			case errors.Is(err, errStore):
				return damaged, err
			case errors.Is(err, fs.ErrNotExist):
				deleted = err
				continue
			case err != nil:
				damaged = append(damaged, damage(info.Name, err))
				continue
			}
			u.seen[info.Name] = true
			for _, part := range o.Parts {
				for i := range part.Counts.Packages {
					u.tables[tablesFolder+hex.EncodeToString(part.Counts.Packages[i].Table)] = true
				}
			}
		}
	}
	return damaged, deleted
}

// mostHeld is how many tables are deleted at a time. They have some 100 kB each, and are held in memory.
const mostHeld = 100

// deleteTables deletes tables, and then looks again for what refers to them. PutRun does it the other way around: it writes
// counts, and then looks again for the tables that it has written. So whichever of them comes second finds a table that is
// missing, and puts it back.
func (a *Archive) deleteTables(ctx context.Context, infos []store.Info, u users, done *Pruned) error {
	held := make(map[string][]byte)
	var failed error
	for _, info := range infos {
		data, err := a.read(ctx, info.Name)
		if err == nil {
			held[info.Name] = data
		}
		if !errors.Is(err, errStore) { // one that is gone or too large can be deleted
			err = a.delete(ctx, info, done, &done.Tables)
		}
		if err != nil {
			failed = err
			break
		}
	}
	damaged, err := a.users(ctx, u)
	done.Damaged, failed = append(done.Damaged, damaged...), errors.Join(failed, err)
	for name, data := range held {
		if !u.tables[name] && failed == nil && len(damaged) == 0 {
			continue
		}
		written, err := a.store.PutIfAbsent(ctx, name, data)
		if written {
			done.Tables, done.Bytes = done.Tables-1, done.Bytes-int64(len(data))
		}
		failed = errors.Join(failed, err)
	}
	return failed
}
