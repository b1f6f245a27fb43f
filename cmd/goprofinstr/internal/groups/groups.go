// Package groups has runs one after another, or those that were added up in an archive, for formats that keep them apart. A
// profile directory of ten thousand runs takes no more memory than one of a few.
package groups

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/archive"
	"github.com/goprofinstr/goprofinstr/export/fleet/labels"
	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
	"github.com/goprofinstr/goprofinstr/export/parquet"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A Do is called for each group of runs.
type Do func(*parquet.Group, *profile.Profile) error

// Archive calls do for the groups of an archive that are meant, of builds whose ID begins with build: the runs of a day with the
// same labels. What cannot be read is left out and returned. Found is how many groups there were.
func Archive(ctx context.Context, name string, of archive.Select, build string, do Do) (found int, damaged []profile.Damage, err error) {
	a, err := archive.Open(ctx, name)
	if err != nil {
		return 0, nil, err
	}
	of.Build = build
	tables, decoded := new(profile.Tables), ""
	unread, err := a.Groups(ctx, of, func(g *archive.Group) error {
		if g.ID != decoded { // the tables are others
			tables, decoded = new(profile.Tables), g.ID
		}
		p, err := g.Profile(tables)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		found++
		damaged = append(damaged, p.Damaged...)
		return do(groupOf(g), p)
	})
	return found, append(unread, damaged...), err
}

// groupOf returns what the runs of a group of an archive are of.
func groupOf(g *archive.Group) *parquet.Group {
	day, err := time.Parse(time.DateOnly, g.Day)
	if err != nil {
		panic("BUG: an archive has the day " + g.Day)
	}
	out := &parquet.Group{
		Service: g.Service, Labels: g.Labels, Build: g.ID, Day: day, First: g.Oldest(), Last: g.Newest(), Runs: g.Processes(), Hosts: g.Hosts(),
	}
	if out.Hosts == 1 {
		out.Host = g.Runs[0].Host
	}
	if len(g.Runs) == 1 {
		out.Run = g.Runs[0].Name
	}
	return out
}

// A directory is what is known of a profile directory while its runs are read.
type directory struct {
	tables  profile.Tables
	linked  map[[sha256.Size]byte]bool // tables of runs
	first   *parquet.Group             // that started first
	damaged []profile.Damage
	do      Do
}

// Directory calls do for each run of a profile directory, by name of the file, and once for the packages that no run has. What
// cannot be read is left out and returned.
func Directory(dir string, do Do) (damaged []profile.Damage, err error) {
	current := profiledir.Current(dir)
	names, err := profiledir.Runs(current)
	if err != nil {
		return nil, err
	}
	if m, err := profiledir.ReadManifest(current); err == nil && m != nil && m.Mode == profiledir.AuditMode {
		return nil, fmt.Errorf("%s is an audit, and not a profile", dir)
	}
	d := &directory{linked: make(map[[sha256.Size]byte]bool), do: do}
	for _, name := range names {
		if err := d.run(name); err != nil {
			return nil, err
		}
	}
	if d.first == nil && len(d.damaged) > 0 {
		return nil, fmt.Errorf("nothing in %s can be read: %s", dir, d.damaged[0])
	}
	if err := d.unlinked(current); err != nil {
		return nil, err
	}
	return d.damaged, nil
}

// run calls do for a run.
func (d *directory) run(name string) error {
	run, err := rundata.ReadFile(name)
	if errors.Is(err, rundata.ErrEmpty) {
		return nil // its process was killed before it executed any code that counts
	}
	if err != nil {
		d.leaveOut(name, err)
		return nil
	}
	p, err := d.tables.New([]*rundata.Run{run}, nil)
	if err != nil {
		d.leaveOut(name, err)
		return nil
	}
	for _, pkg := range run.Packages {
		d.linked[sha256.Sum256(pkg.Table)] = true
	}
	d.damaged = append(d.damaged, p.Damaged...)
	g := groupOfRun(name, run)
	if d.first == nil || g.First.Before(d.first.First) {
		d.first = g
	}
	return d.do(g, p)
}

// groupOfRun returns the group of a run file, which is no other run's.
func groupOfRun(name string, run *rundata.Run) *parquet.Group {
	of := labels.Parse(run.Attributes)
	return &parquet.Group{
		Service: labels.ToldService(run), Labels: of.Shared(), Host: of[labels.HostName],
		Build: buildOf(run), Day: run.Start, First: run.Start, Last: run.Start, Runs: 1, Hosts: 1,
		Run: strings.TrimSuffix(strings.TrimPrefix(filepath.Base(name), "run."), ".gpi"),
	}
}

func (d *directory) leaveOut(name string, err error) {
	reason := strings.TrimPrefix(err.Error(), name+": ")
	d.damaged = append(d.damaged, profile.Damage{Part: profile.RunFile, Name: filepath.Base(name), Reason: reason})
}

// buildOf returns the build of a run, which an archive gives the same ID.
func buildOf(run *rundata.Run) string {
	var list []rundata.Sparse
	for _, p := range run.Packages {
		list = append(list, rundata.Sparse{Path: p.Path, Table: p.Table, Size: len(p.Counters),
			Hashes: make([][]rundata.Entry, len(p.Hashes))})
	}
	return archive.BuildOf(tally.OfSparse(list, nil, 0))
}

// unlinked calls do for the packages of the directory that no run has, as if they were of the first run: nothing of them was
// executed.
func (d *directory) unlinked(dir string) error {
	if d.first == nil {
		return nil
	}
	var list []*table.Package
	damaged := archive.Unlinked(dir, d.linked, func(t *table.Package, _ []byte) { list = append(list, t) })
	d.damaged = append(d.damaged, damaged...)
	p, err := d.tables.New(nil, list)
	if err != nil || len(list) == 0 {
		return err
	}
	none := *d.first
	none.Build, none.Run, none.Host, none.Runs, none.Hosts = "", "", "", 0, 0
	return d.do(&none, p)
}
