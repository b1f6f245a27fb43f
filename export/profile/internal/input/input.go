// Package input reads what a profile directory holds: runs and path tables, as many as can be read, of one build.
package input

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile/internal/method"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// ReadRuns reads run files, as many as can be read.
func ReadRuns(names []string) (runs []*rundata.Run, damaged []Damage) {
	for _, name := range names {
		r, err := rundata.ReadFile(name)
		switch {
		case errors.Is(err, rundata.ErrEmpty): // its process was killed before it executed any code that counts
		case err != nil:
			damaged = append(damaged, FileDamage(RunFile, name, err))
		default:
			runs = append(runs, r)
		}
	}
	return runs, damaged
}

// OneBuild leaves out packages of other builds. Where tables of runs differ, and one is the table that wrap
// has left, the packages with other tables go. Programs of an earlier build may still have been running, or
// may have been started again. Where wrap has left none it is not known which build is meant.
func OneBuild(runs []*rundata.Run, encoded []EncodedTable) (kept []*rundata.Run, damaged []Damage) {
	meant := make(map[string]bool)
	for _, e := range encoded {
		meant[string(e.Data)] = true
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
				damaged = append(damaged, Damage{PackagePart, p.Path, RunTitle(r) + " is of another build of it than the others"})
			}
		}
		if slices.ContainsFunc(r.Packages, isOther) {
			own := *r
			own.Packages = slices.DeleteFunc(slices.Clone(r.Packages), isOther)
			own.Contexts, own.Sites, own.Tests = nil, nil, nil // these are of all packages
			isOfOther := func(at rundata.PathAt) bool { return isOther(at.Package) }
			own.Sampled = slices.DeleteFunc(slices.Clone(r.Sampled), isOfOther)
			own.Uncounted = slices.DeleteFunc(slices.Clone(r.Uncounted), func(u rundata.Uncounted) bool { return isOfOther(u.PathAt) })
			own.Replicates = slices.DeleteFunc(slices.Clone(r.Replicates), func(w rundata.Replicate) bool { return isOfOther(w.PathAt) })
			r = &own
		}
		kept = append(kept, r)
	}
	return kept, damaged
}

// RunTitle says in a few words which run it is.
func RunTitle(r *rundata.Run) string {
	if r.Name != "" {
		return filepath.Base(r.Name)
	}
	return fmt.Sprintf("run of pid %d", r.Pid)
}

// An EncodedTable is the file of a path table.
type EncodedTable struct {
	Name  string
	Data  []byte
	Table *table.Package // once it is decoded
}

// ReadTables returns the tables of dir, as many as can be read. Want tells that there
// must be some.
func ReadTables(dir string, want bool) (tables []EncodedTable, damaged []Damage) {
	names, err := profiledir.Tables(dir)
	if err != nil && (want || !errors.Is(err, fs.ErrNotExist)) {
		damaged = append(damaged, FileDamage(TableFile, profiledir.TablesName, err))
	}
	for _, name := range names {
		data, err := rundata.ReadWhole(name, table.MostBytes)
		if err != nil {
			damaged = append(damaged, FileDamage(TableFile, name, err))
			continue
		}
		tables = append(tables, EncodedTable{Name: name, Data: data})
	}
	return tables, damaged
}

// DecodeTables decodes those tables that no run has, for decoding takes longest.
func DecodeTables(encoded []EncodedTable, runs []*rundata.Run) (tables []EncodedTable, damaged []Damage) {
	known := make(map[string]bool)
	for _, r := range runs {
		for _, p := range r.Packages {
			known[string(p.Table)] = true
		}
	}
	for _, e := range encoded {
		if known[string(e.Data)] {
			continue
		}
		t, err := DecodeTable(e.Data)
		if err != nil {
			damaged = append(damaged, FileDamage(TableFile, e.Name, err))
			continue
		}
		e.Table = t
		tables = append(tables, e)
	}
	return tables, damaged
}

// DecodeTable decodes a table whose counts can be read.
func DecodeTable(data []byte) (*table.Package, error) {
	t, err := table.Decode(data)
	if err == nil {
		err = method.Check(t)
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}
