package builds

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/profile/internal/input"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// Counts are what the runs of one build and one service have counted, added up.
type Counts struct {
	Service string    // that the runs are of, "" if they have not said
	Hosts   []string  // that the runs were on, as far as they have said; sorted
	Runs    int       // 0 if wrap has built the program and nothing has run
	First   time.Time // start of the first run
	Last    time.Time // start of the last one

	// Tables has the path tables of the build's packages, by import path. They are those of the runs, and those that wrap
	// has left of packages that no run has linked.
	Tables map[string]Sum

	Profile *profile.Profile // of these runs, with all packages of Tables that can be read
}

// Sum is a hash of an encoded path table: equal tables have equal encodings.
type Sum [sha256.Size]byte

// Read reads profile directories. What cannot be read is left out and returned; the error, one line long, says what
// cannot be read at all. The order of the result is that of dirs.
func Read(dirs []string) (all []*Counts, damaged []profile.Damage, err error) {
	for _, dir := range dirs {
		counts, left, err := read(dir)
		if err != nil {
			return nil, nil, err
		}
		for _, d := range left {
			if isRun(d) || d.Part == profile.TableFile || d.Part == profile.ManifestFile {
				d.Name = filepath.Join(dir, d.Name)
			}
			damaged = append(damaged, d)
		}
		all = append(all, counts...)
	}
	return all, damaged, nil
}

// read reads one profile directory.
func read(dir string) (all []*Counts, damaged []profile.Damage, err error) {
	current := profiledir.Current(dir)
	names, err := profiledir.Runs(current)
	if err != nil {
		return nil, nil, err
	}
	manifest, err := profiledir.ReadManifest(current)
	switch {
	case errors.Is(err, profiledir.ErrVersion):
		return nil, nil, err
	case err != nil:
		damaged = append(damaged, input.FileDamage(input.ManifestFile, filepath.Join(current, profiledir.ManifestName), err))
	case manifest != nil && manifest.Mode == profiledir.AuditMode:
		return nil, nil, fmt.Errorf("%s is an audit, and not a profile: it has no counts", dir)
	}
	runs, unread := input.ReadRuns(names)
	damaged = append(damaged, unread...)
	encoded, unread := input.ReadTables(current, manifest != nil)
	damaged = append(damaged, unread...)
	if i := slices.IndexFunc(damaged, isRun); i >= 0 && len(runs) == 0 {
		return nil, nil, fmt.Errorf("%s: nothing in it can be read: %s", dir, damaged[i])
	}
	tables, unread := input.DecodeTables(encoded, runs)
	damaged = append(damaged, unread...)
	for _, b := range group(runs, encoded, tables) {
		counts, err := b.counts()
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", dir, err)
		}
		for _, c := range counts {
			damaged = append(damaged, c.Profile.Damaged...)
		}
		all = append(all, counts...)
	}
	return all, damaged, nil
}

func isRun(d profile.Damage) bool { return d.Part == profile.RunFile }

// newCounts adds up runs of a build and one service.
func (b *build) newCounts(service string, runs []*rundata.Run) (*Counts, error) {
	p, err := profile.New(runs, b.unlinked())
	if err != nil {
		return nil, err
	}
	c := &Counts{Service: service, Runs: len(runs), Tables: b.tables, Profile: p, Hosts: hosts(runs)}
	for _, r := range runs {
		if c.First.IsZero() || r.Start.Before(c.First) {
			c.First = r.Start
		}
		if r.Start.After(c.Last) {
			c.Last = r.Start
		}
	}
	return c, nil
}

// byStart orders runs, the last one first; those of containers may have equal pids.
func byStart(a, b *rundata.Run) int {
	return cmp.Or(b.Start.Compare(a.Start), cmp.Compare(a.Pid, b.Pid), cmp.Compare(a.Name, b.Name))
}

// OfTables returns a build that has not run, by the path tables of its packages as files have them.
func OfTables(encoded [][]byte) (*Counts, error) {
	b := newBuild()
	for _, data := range encoded {
		t, err := input.DecodeTable(data)
		if err != nil {
			return nil, err
		}
		b.tables[t.Path], b.decoded[t.Path] = sha256.Sum256(data), t
	}
	return b.newCounts("", nil)
}
