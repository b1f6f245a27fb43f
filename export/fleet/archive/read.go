package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/fleet/archive/object"
	"github.com/goprofinstr/goprofinstr/export/fleet/archive/store"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// errStore is wrapped by errors of the store. A permission that is missing or an answer that is lost is no damage of an object.
var errStore = errors.New("the archive cannot be read as a whole, and no part of it is left out; try again when it can be")

// read returns the data of an object. An error that wraps errStore says nothing of it. Others say that there is none, or that it
// is too large.
func (a *Archive) read(ctx context.Context, name string) ([]byte, error) {
	data, err := a.store.Get(ctx, name)
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, store.ErrLarge) {
		return data, err
	}
	return nil, fmt.Errorf("%w: %w", err, errStore)
}

// get returns the object of a name, if it is where it belongs: one that was copied elsewhere would count twice.
func (a *Archive) get(ctx context.Context, name string) (*object.Object, error) {
	data, err := a.read(ctx, name)
	if err != nil {
		return nil, err
	}
	o, err := object.Decode(data)
	if err != nil {
		return nil, err
	}
	build, err := buildOfParts(o)
	if err != nil {
		return nil, err
	}
	for _, r := range o.Runs {
		if p := placeOf(o.Service, build, r.Start); name != p.folder(countsFolder)+runName(r) && path.Dir(name)+"/" != p.folder(daysFolder) {
			return nil, fmt.Errorf("it has the run %q of host %q, which belongs to %s", r.Name, r.Host, p.folder(""))
		}
	}
	return o, nil
}

// run returns the object of a run.
func (a *Archive) run(ctx context.Context, name string) (*object.Object, error) {
	o, err := a.get(ctx, name)
	if err == nil && (len(o.Runs) != 1 || len(o.Parts) != 1) {
		return nil, fmt.Errorf("it has %d runs in place of one", len(o.Runs))
	}
	return o, err
}

// A sum is what the runs of a group have counted in all.
type sum struct {
	object  *object.Object // without runs if there are none
	day     string         // the object of the day that is in it, or ""
	added   int            // runs that are not in that one
	damaged []profile.Damage
	left    int // runs that were not taken
}

// errChanged is for groups, and archives, of which something has been deleted since they were listed.
var errChanged = errors.New("it changes all the time")

// sum adds up a group: the last object of the day that can be read, and those of runs that are not in it. It adds those that take
// takes; nil takes all. sum holds one object at a time.
func (a *Archive) sum(ctx context.Context, g *group, take func(*object.Object) bool) (*sum, error) {
	s := &sum{object: new(object.Object)}
	if err := a.readDay(ctx, g, s); err != nil {
		return nil, err
	}
	inDay := &object.Object{Runs: slices.Clone(s.object.Runs)}
	for _, name := range g.runs {
		o, err := a.run(ctx, name)
		switch {
		case interrupted(err):
			return nil, err
		case err != nil:
			s.damaged = append(s.damaged, damage(name, err))
			continue
		}
		if known := inDay.Find(o.Runs[0]); known != nil {
			if known.Sum != o.Runs[0].Sum {
				s.damaged = append(s.damaged, damage(name, errors.New("it has other counts than the object of its day has of the run, which was said to have ended")))
			}
			continue
		}
		if take != nil && !take(o) {
			s.left++
			continue
		}
		if err := s.add(o); err != nil {
			s.damaged = append(s.damaged, damage(name, err))
			continue
		}
		s.added++
	}
	return s, nil
}

// interrupted reports whether an object could not be read for a reason that is none of the object: it may be there another time.
func interrupted(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, errStore) }

// readDay reads the last object of a day that can be read.
func (a *Archive) readDay(ctx context.Context, g *group, s *sum) error {
	for _, name := range g.days {
		o, err := a.get(ctx, name)
		switch {
		case interrupted(err):
			return err
		case err != nil:
			s.damaged = append(s.damaged, damage(name, err))
			continue
		}
		s.day = name
		return s.add(o)
	}
	return nil
}

func (s *sum) add(o *object.Object) error {
	if err := s.object.Add(o); err != nil {
		return err
	}
	s.object.Service = o.Service
	return nil
}

// mostTries is how often these are read again whose objects are being made one. Each time somebody else has come further.
const mostTries = 20

// stable is sum for groups that somebody may be compacting. Nothing of a group is deleted before there is a new object of
// the day. So if the last one is the same before and after, nothing was missed between the lists of objects. Outdated
// objects are left out.
func (a *Archive) stable(ctx context.Context, g *group, outdated []string) (*sum, error) {
	var last error
	for range mostTries {
		s, err := a.sum(ctx, g, nil)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		days, err2 := a.store.List(ctx, g.folder(daysFolder))
		if err2 != nil {
			return nil, err2
		}
		newest := ""
		for _, info := range days {
			if number(info.Name) > number(newest) {
				newest = info.Name
			}
		}
		if err == nil && (len(g.days) == 0 && newest == "" || len(g.days) > 0 && g.days[0] == newest) {
			return s, nil
		}
		last = err
		if err := a.relist(ctx, g); err != nil {
			return nil, err
		}
		g.without(outdated)
	}
	if last == nil {
		last = errors.New("it has another object of the day each time")
	}
	return nil, fmt.Errorf("%s: %w: %w", g.folder(countsFolder), errChanged, last)
}

// relist lists the objects of a group again.
func (a *Archive) relist(ctx context.Context, g *group) error {
	now := &group{place: g.place}
	all := map[place]*group{g.place: now}
	for _, top := range []string{daysFolder, countsFolder} {
		infos, err := a.store.List(ctx, g.folder(top))
		if err != nil {
			return err
		}
		for _, info := range infos {
			if err := addName(all, info.Name); err != nil {
				continue // it is listed as damaged already
			}
		}
	}
	*g = *now
	return nil
}
