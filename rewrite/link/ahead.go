package link

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

// An Ahead reads the sources of a program while that is linked. Which records the program has is a guess, by its archives. What
// turns out to be wrong is read again.
type Ahead struct {
	wait  sync.WaitGroup
	s     *sources           // nil if nothing was read
	units map[string]ahead   // by the import path
	known map[string]*Record // by ID
	sum   [sha256.Size]byte  // of these
}

// An ahead is a unit that has been analysed.
type ahead struct {
	ids []string // of its records
	*source
}

// ReadAhead begins to read the sources of a program, by the linker's list of archives and the archive of its main package.
// Records are in a folder. If the keeper has copies for the same sources, nothing is read: they are probably those of the same
// program.
func ReadAhead(archives, main, records string, keeper Keeper) *Ahead {
	a := &Ahead{units: make(map[string]ahead), known: make(map[string]*Record)}
	a.wait.Go(func() {
		tried(func() error { return a.begin(archives, main, records, keeper) }) // what is missing is read later, which says why
	})
	return a
}

func (a *Ahead) begin(archives, main, records string, keeper Keeper) error {
	s, err := readSources(archives, main)
	if err != nil {
		return err
	}
	known, err := s.guess(main, records)
	if err != nil {
		return err
	}
	sum, err := sumOf(known)
	if err != nil {
		return err
	}
	for _, r := range known {
		a.known[r.ID] = r
	}
	a.sum = sum
	if keeper.Get(anyWords(sum), new(bool)) {
		return nil
	}
	a.s = s
	for _, u := range units(known, make([]*counted, len(known))) {
		tried(func() error {
			src, err := s.analyze(u)
			if err == nil {
				a.units[u.records[0].Path] = ahead{u.ids(), src}
			}
			return err
		})
	}
	return nil
}

// guess returns the records that the program may have: those of its packages, and those of packages that are compiled for its
// tests.
func (s *sources) guess(main, records string) (known []*Record, err error) {
	variant := ""
	for path, file := range s.archives {
		if file == main && strings.HasSuffix(path, ".test") {
			variant = " [" + path + "]"
		}
	}
	for path := range s.archives {
		for _, id := range slices.Compact([]string{path, path + variant}) {
			r, err := read(records, id)
			switch {
			case errors.Is(err, fs.ErrNotExist):
			case err != nil:
				return nil, err
			default:
				known = append(known, r)
			}
		}
	}
	return known, nil
}

// ids returns those of the records of a unit.
func (u *unit) ids() (list []string) {
	for _, r := range u.records {
		list = append(list, r.ID)
	}
	return list
}

// read reads the record of a package, if that has not been read.
func (a *Ahead) read(folder, id string) (*Record, error) {
	if a != nil {
		a.wait.Wait()
		if r := a.known[id]; r != nil {
			return r, nil
		}
	}
	return read(folder, id)
}

// sumOf returns the sum of records and their sources. If all have been read ahead, it is of the sources as they were then.
func (a *Ahead) sumOf(records []*Record) ([sha256.Size]byte, error) {
	isOther := func(r *Record) bool { return a.known[r.ID] != r }
	if a != nil && len(records) == len(a.known) && !slices.ContainsFunc(records, isOther) {
		return a.sum, nil
	}
	return sumOf(records)
}

// sources returns what sources were read with, once all are read; nil if none were.
func (a *Ahead) sources() *sources {
	if a == nil {
		return nil
	}
	a.wait.Wait()
	return a.s
}

// source returns the analysed sources of a unit, nil if they have not been read.
func (a *Ahead) source(u *unit) *source {
	if a == nil {
		return nil
	}
	if known := a.units[u.records[0].Path]; slices.Equal(known.ids, u.ids()) {
		return known.source
	}
	return nil
}
