package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/fleet/archive/object"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// Compacted is what Compact has done.
type Compacted struct {
	Days    int // that have a new object
	Runs    int // that are in one now, and were not
	Left    int // runs that have not ended, and stay objects of their own
	Deleted int // objects
	Damaged []profile.Damage
}

// Compact makes one object of the runs of a day, service and build that have ended.
//
// Objects of a day have numbers. The next one has all that the last has and, besides, runs that have an object of their own.
// It is written where there is none of its number, so of two that compact a day at the same time one gives way. Only then
// are objects deleted, and only what the object of the day with the highest number has, as it is read again then. These are
// runs with the same counts, and objects of lower numbers. The last object of the day has the counts of these since each was
// made of the one before. Readers go by the same rule, so for them nothing changes when objects are deleted. That is why it
// may end anywhere: nothing is lost then, nothing counts twice, and whoever compacts next deletes what is left.
//
// Nothing is done about a day whose last object cannot be read, and runs whose objects cannot be read stay as they are. They
// are listed: what they have may still be got back.
func (a *Archive) Compact(ctx context.Context, s Select) (*Compacted, error) {
	groups, outdated, damaged, err := a.current(ctx, s)
	if err != nil {
		return nil, err
	}
	done := &Compacted{Damaged: damaged}
	for _, name := range outdated { // before what they are outdated by is in an object of its day
		if slices.ContainsFunc(damaged, func(d profile.Damage) bool { return d.Name == name }) {
			continue // it may be what outdates the others, and may still be got back
		}
		if err := a.store.Delete(ctx, name); err != nil {
			return done, err
		}
		done.Deleted++
	}
	for _, g := range groups {
		if err := a.compact(ctx, g, done); err != nil {
			return done, fmt.Errorf("%s: %w", g.folder(countsFolder), err)
		}
	}
	return done, nil
}

// compact compacts a group.
func (a *Archive) compact(ctx context.Context, g *group, done *Compacted) error {
	s, err := a.sum(ctx, g, func(o *object.Object) bool { return o.Final })
	if errors.Is(err, fs.ErrNotExist) {
		return nil // somebody else compacts it
	}
	if err != nil {
		return err
	}
	done.Damaged, done.Left = append(done.Damaged, s.damaged...), done.Left+s.left
	if len(g.days) > 0 && s.day != g.days[0] {
		return nil // the last object of the day cannot be read
	}
	if s.added > 0 {
		data, err := encodeDay(s.object)
		if err != nil { // it is too large
			done.Damaged = append(done.Damaged, damage(g.folder(countsFolder), err))
			return nil
		}
		written, err := a.store.PutIfAbsent(ctx, g.folder(daysFolder)+g.nextDay(), data)
		if err != nil || !written {
			return err
		}
		done.Days, done.Runs = done.Days+1, done.Runs+s.added
	}
	return a.clean(ctx, g, done)
}

// encodeDay encodes the object of a day, all of whose runs have ended.
func encodeDay(o *object.Object) ([]byte, error) {
	o.Final = true
	return object.Encode(o)
}

// nextDay returns the last part of the name of the next object of the day.
func (g *group) nextDay() string {
	if len(g.days) == 0 {
		return dayName(1)
	}
	return dayName(number(g.days[0]) + 1)
}

// clean deletes what the last object of a day has.
func (a *Archive) clean(ctx context.Context, g *group, done *Compacted) error {
	if err := a.relist(ctx, g); err != nil || len(g.days) == 0 {
		return err
	}
	last, err := a.get(ctx, g.days[0])
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	names := make(map[string]object.Run)
	for _, r := range last.Runs {
		names[g.folder(countsFolder)+runName(r)] = r
	}
	var old []string
	for _, name := range g.runs {
		if r, ok := names[name]; ok {
			same, err := a.hasCounts(ctx, name, r.Sum)
			if err != nil {
				return err
			}
			if same {
				old = append(old, name)
			}
		}
	}
	for _, name := range slices.Concat(old, g.days[1:]) {
		if err := a.store.Delete(ctx, name); err != nil {
			return err
		}
		done.Deleted++
	}
	return nil
}

// hasCounts reports whether the object of a run has these counts. One that cannot be read has others.
func (a *Archive) hasCounts(ctx context.Context, name string, sum object.Sum) (bool, error) {
	o, err := a.run(ctx, name)
	if errors.Is(err, errStore) {
		return false, err
	}
	return err == nil && o.Runs[0].Sum == sum, nil
}
