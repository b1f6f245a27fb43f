package profile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Load reads all run files of profile directory dir and adds up their counts. Where wrap has left path tables,
// the packages that no run linked are in the profile too, with counts of 0. What cannot be read is left out and
// listed in Damaged.
//
// Load returns an error, one line long, in these cases:
//
//   - dir cannot be read, or nothing in it can be;
//   - dir holds neither run data nor what wrap leaves there before anything runs: then the error wraps
//     [profiledir.ErrNoRuns];
//   - dir was written by a goprofinstr of another format;
//   - dir holds runs of different builds, and nothing tells which one is meant.
func Load(dir string) (*Profile, error) { return loadAs(dir, dir) }

// loadAs is Load for a directory that errors call by a title.
func loadAs(dir, title string) (*Profile, error) {
	dir = profiledir.Current(dir)
	names, err := profiledir.Runs(dir)
	if err != nil {
		return nil, err
	}
	runs, damaged := readRuns(names)
	manifest, err := profiledir.ReadManifest(dir)
	if errors.Is(err, profiledir.ErrVersion) {
		return nil, err
	}
	if err != nil {
		damaged = append(damaged, fileDamage(ManifestFile, filepath.Join(dir, profiledir.ManifestName), err))
	}
	if manifest != nil && manifest.Mode == profiledir.AuditMode {
		return nil, fmt.Errorf("%s is an audit, and not a profile; goprofinstr audit -from %s shows it", dir, dir)
	}
	if len(runs) == 0 && manifest == nil && len(damaged) == 0 {
		return nil, fmt.Errorf("%s: %w: all processes died while they started", dir, profiledir.ErrNoRuns)
	}
	encoded, unread := readTables(dir, manifest != nil)
	damaged = append(damaged, unread...)
	runs, foreign := oneBuild(runs, encoded)
	damaged = append(damaged, foreign...)
	others, unread := decodeTables(encoded, runs)
	damaged = append(damaged, unread...)
	var tables []*table.Package
	for _, e := range others {
		tables = append(tables, e.table)
	}
	p, err := New(runs, tables)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", title, err)
	}
	p.Damaged = append(damaged, p.Damaged...)
	if manifest != nil {
		p.Root, p.NotRun = manifest.Root, manifest.NotRun
	}
	if err := p.nothing(title); err != nil {
		return nil, err
	}
	return p, nil
}

// ReadRuns returns the runs of a profile directory that Load adds up.
func ReadRuns(dir string) ([]*rundata.Run, error) {
	names, err := profiledir.Runs(dir)
	if err != nil {
		return nil, err
	}
	runs, _ := readRuns(names)
	encoded, _ := readTables(dir, false)
	runs, _ = oneBuild(runs, encoded)
	return runs, nil
}

// readRuns reads run files, as many as can be read.
func readRuns(names []string) (runs []*rundata.Run, damaged []Damage) {
	for _, name := range names {
		r, err := rundata.ReadFile(name)
		switch {
		case errors.Is(err, rundata.ErrEmpty): // its process was killed before it executed any code that counts
		case err != nil:
			damaged = append(damaged, fileDamage(RunFile, name, err))
		default:
			runs = append(runs, r)
		}
	}
	return runs, damaged
}

// oneBuild leaves out the packages of runs whose tables differ from that of another run, if one of these is the
// table that wrap has left: programs of an earlier build may still have been running, or have been started
// again. Where wrap has left none it is not known which build is meant.
func oneBuild(runs []*rundata.Run, encoded []encodedTable) (kept []*rundata.Run, damaged []Damage) {
	meant := make(map[string]bool)
	for _, e := range encoded {
		meant[string(e.data)] = true
	}
	decided := make(map[string][]byte) // the tables that runs have, too, by import path
	for _, r := range runs {
		for _, p := range r.Packages {
			if meant[string(p.Table)] {
				decided[p.Path] = p.Table
			}
		}
	}
	for _, r := range runs {
		isOther := func(p *rundata.Package) bool {
			want, ok := decided[p.Path]
			return ok && !bytes.Equal(want, p.Table)
		}
		for _, p := range r.Packages {
			if isOther(p) {
				damaged = append(damaged, Damage{PackagePart, p.Path, runTitle(r) + " is of another build of it than the others"})
			}
		}
		if slices.ContainsFunc(r.Packages, isOther) {
			own := *r
			own.Packages = slices.DeleteFunc(slices.Clone(r.Packages), isOther)
			own.Contexts, own.Sites, own.Tests = nil, nil, nil // these are of all packages
			r = &own
		}
		kept = append(kept, r)
	}
	return kept, damaged
}

// runTitle says in a few words which run it is.
func runTitle(r *rundata.Run) string {
	if r.Name != "" {
		return filepath.Base(r.Name)
	}
	return fmt.Sprintf("run of pid %d", r.Pid)
}

// An encodedTable is the file of a path table.
type encodedTable struct {
	name  string
	data  []byte
	table *table.Package // once it is decoded
}

// readTables returns the tables of dir, as many as can be read. Want tells that there
// must be some.
func readTables(dir string, want bool) (tables []encodedTable, damaged []Damage) {
	names, err := profiledir.Tables(dir)
	if err != nil && (want || !errors.Is(err, fs.ErrNotExist)) {
		damaged = append(damaged, fileDamage(TableFile, profiledir.TablesName, err))
	}
	for _, name := range names {
		data, err := rundata.ReadWhole(name, table.MostBytes)
		if err != nil {
			damaged = append(damaged, fileDamage(TableFile, name, err))
			continue
		}
		tables = append(tables, encodedTable{name: name, data: data})
	}
	return tables, damaged
}

// decodeTables decodes those tables that no run has, for decoding takes longest.
func decodeTables(encoded []encodedTable, runs []*rundata.Run) (tables []encodedTable, damaged []Damage) {
	known := make(map[string]bool)
	for _, r := range runs {
		for _, p := range r.Packages {
			known[string(p.Table)] = true
		}
	}
	for _, e := range encoded {
		if known[string(e.data)] {
			continue
		}
		t, err := decodeTable(e.data)
		if err != nil {
			damaged = append(damaged, fileDamage(TableFile, e.name, err))
			continue
		}
		e.table = t
		tables = append(tables, e)
	}
	return tables, damaged
}
