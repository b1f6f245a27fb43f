package archive

import (
	"context"
	"encoding/hex"
	"errors"
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
// is written: a process may run for longer. Tables that nothing refers to any more go, too, if they were written before then,
// and everything can be read that might refer to them.
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
	used := make(map[string]bool)
	for _, top := range []string{daysFolder, countsFolder} {
		objects, err := a.store.List(ctx, top)
		if err != nil {
			return err
		}
		for _, info := range objects {
			o, err := a.get(ctx, info.Name)
			if errors.Is(err, errStore) {
				return err
			}
			if err != nil {
				done.Damaged = append(done.Damaged, damage(info.Name, err))
				continue
			}
			for _, part := range o.Parts {
				for i := range part.Counts.Packages {
					used[tablesFolder+hex.EncodeToString(part.Counts.Packages[i].Table)] = true
				}
			}
		}
	}
	if len(done.Damaged) > 0 {
		return nil
	}
	for _, info := range infos {
		if used[info.Name] || !info.Modified.Before(before) {
			continue
		}
		if err := a.delete(ctx, info, done, &done.Tables); err != nil {
			return err
		}
	}
	return nil
}
