package profile

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/goprofinstr/goprofinstr/export/profile/internal/input"
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
func Load(dir string) (*Profile, error) { return LoadAs(dir, dir) }

// LoadLive is Load for a directory whose programs run: while a wrap runs some, it is about these.
func LoadLive(dir string) (*Profile, error) {
	running := (&profiledir.Dir{Path: dir}).Running()
	if names := profiledir.Glob(running); len(names) > 0 {
		return LoadAs(running, dir)
	}
	return Load(dir)
}

// LoadAs is Load for a directory that errors call by a title, since it may be about to be removed.
func LoadAs(dir, title string) (*Profile, error) {
	dir = profiledir.Current(dir)
	names, err := profiledir.Runs(dir)
	if err != nil {
		return nil, err
	}
	runs, damaged := input.ReadRuns(names)
	manifest, err := profiledir.ReadManifest(dir)
	if errors.Is(err, profiledir.ErrVersion) {
		return nil, err
	}
	if err != nil {
		damaged = append(damaged, input.FileDamage(input.ManifestFile, filepath.Join(dir, profiledir.ManifestName), err))
	}
	if manifest != nil && manifest.Mode == profiledir.AuditMode {
		return nil, fmt.Errorf("%s is an audit, and not a profile; goprofinstr audit -from %s shows it", title, title)
	}
	if len(runs) == 0 && manifest == nil && len(damaged) == 0 {
		return nil, fmt.Errorf("%s: %w: all processes died while they started", dir, profiledir.ErrNoRuns)
	}
	encoded, unread := input.ReadTables(dir, manifest != nil)
	damaged = append(damaged, unread...)
	runs, foreign := input.OneBuild(runs, encoded)
	damaged = append(damaged, foreign...)
	others, unread := input.DecodeTables(encoded, runs)
	damaged = append(damaged, unread...)
	var tables []*table.Package
	for _, e := range others {
		tables = append(tables, e.Table)
	}
	p, err := New(runs, tables)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", title, err)
	}
	p.Damaged = append(damaged, p.Damaged...)
	p.settle()
	if manifest != nil {
		p.NotRun, p.LineSums = manifest.NotRun, manifest.LineSums
		p.BuildRoot = cmp.Or(manifest.Root, p.BuildRoot)
		p.addManifestSums(manifest.Sources)
	}
	p.Root = p.BuildRoot
	p.Built = manifest == nil || manifest.Mode == "" // merged
	if err := p.nothing(title); err != nil {
		return nil, err
	}
	return p, nil
}

// ReadRuns returns the runs of a profile directory that Load adds up.
func ReadRuns(dir string) ([]*rundata.Run, error) {
	dir = profiledir.Current(dir)
	names, err := profiledir.Runs(dir)
	if err != nil {
		return nil, err
	}
	runs, _ := input.ReadRuns(names)
	encoded, _ := input.ReadTables(dir, false)
	runs, _ = input.OneBuild(runs, encoded)
	return runs, nil
}

// addManifestSums adds the sums that an earlier goprofinstr has written beside the runs.
func (p *Profile) addManifestSums(sources map[string]string) {
	for name, text := range sources {
		if _, ok := p.Sums[name]; ok {
			continue
		}
		if sum, err := hex.DecodeString(text); err == nil {
			p.Sums[name] = sum
		}
	}
}
