// Package merge puts profile directories together.
package merge

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/profile/internal/input"
	"github.com/goprofinstr/goprofinstr/export/profile/internal/method"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Directories puts the runs and the tables of profile directories into d, which is empty. What comes out is the same
// in whatever order and groups directories are merged. The runs are kept one by one, since a profile adds them up
// anyhow, and what is built from several has them sorted. A run that is in two directories counts twice. Files that
// cannot be read are left out, and returned.
//
// The error, one line long, says which directories cannot be merged and why.
func Directories(d *profiledir.Dir, dirs []string) (damaged []input.Damage, err error) {
	var list []Source
	for _, dir := range dirs {
		list = append(list, Source{Dir: dir})
	}
	return Sources(d, list)
}

// A Source is a profile directory that is merged.
type Source struct {
	Dir   string
	Title string // what messages call it; "" means Dir
}

// Sources is Directories for those of which some are called otherwise than they are.
func Sources(d *profiledir.Dir, list []Source) (damaged []input.Damage, err error) {
	m := merger{to: d, tables: make(map[string]mergedTable), runs: make(map[runName][]mergedRun)}
	var titles []string
	for _, s := range list {
		if err := m.add(s); err != nil {
			return nil, err
		}
		titles = append(titles, cmp.Or(s.Title, s.Dir))
	}
	if i := slices.IndexFunc(m.damaged, func(d input.Damage) bool { return d.Part == input.RunFile }); i >= 0 && len(m.runs) == 0 {
		return nil, fmt.Errorf("nothing in %s can be read: %s", strings.Join(titles, ", "), m.damaged[i])
	}
	return m.damaged, m.write(d)
}

// Load loads what Directories has made of dirs. Its errors name these, since d may be about to be removed.
func Load(d *profiledir.Dir, dirs []string) (*profile.Profile, error) {
	return profile.LoadAs(d.Path, strings.Join(dirs, ", "))
}

// write writes everything to d.
func (m *merger) write(d *profiledir.Dir) error {
	var tables [][]byte
	for _, path := range slices.Sorted(maps.Keys(m.tables)) {
		tables = append(tables, m.tables[path].data)
	}
	if err := d.WriteBuild(m.manifest, tables); err != nil {
		return err
	}
	for name, runs := range m.runs {
		// Equal names are of containers, or of one run twice.
		slices.SortFunc(runs, func(a, b mergedRun) int { return bytes.Compare(a.sum[:], b.sum[:]) })
		for i, r := range runs {
			if err := os.Rename(r.file, filepath.Join(d.Path, profiledir.RunFile(name.pid, name.start, i))); err != nil {
				return err
			}
		}
	}
	return nil
}

// trust has files of anybody read: shards of a job come from containers with users of their own.
var trust = profiledir.Trust{Anyone: true}

// A merger is what a merged directory is going to hold.
type merger struct {
	to       *profiledir.Dir
	copies   int // of run files
	manifest profiledir.Manifest
	merged   int                    // directories
	tables   map[string]mergedTable // by import path
	runs     map[runName][]mergedRun
	damaged  []input.Damage
}

type mergedTable struct {
	data   []byte
	dir    string       // that it came from
	counts table.Method // what is in the runs
}

// A mergedRun is the copy of a run file, by a name that it does not keep.
type mergedRun struct {
	file string
	sum  [sha256.Size]byte
}

// runName is what a run file is named after.
type runName struct {
	pid   int
	start int64
}

func (m *merger) add(s Source) error {
	dir := profiledir.Current(s.Dir)
	title := cmp.Or(s.Title, dir)
	names, err := profiledir.Runs(dir)
	if err != nil {
		return err
	}
	manifest, err := profiledir.ReadManifest(dir)
	switch {
	case errors.Is(err, profiledir.ErrVersion):
		return err
	case err != nil:
		m.leaveOut(title, input.FileDamage(input.ManifestFile, filepath.Join(dir, profiledir.ManifestName), err))
	case manifest != nil && manifest.Mode == profiledir.AuditMode:
		return fmt.Errorf("%s is an audit, and not a profile; leave it out", cmp.Or(s.Title, s.Dir))
	}
	encoded, damaged := input.ReadTables(dir, manifest != nil)
	m.leaveOut(title, damaged...)
	copies, err := m.copyRuns(title, names)
	if err != nil {
		return err
	}
	var runs []*rundata.Run
	for _, c := range copies {
		runs = append(runs, c.run)
		key := runName{c.run.Pid, c.run.Start.UnixNano()}
		m.runs[key] = append(m.runs[key], c.mergedRun)
	}
	runs, _ = input.OneBuild(runs, encoded) // whoever reads what is merged leaves the others out again
	for _, run := range runs {
		if err := m.addTablesOf(title, run); err != nil {
			return err
		}
	}
	if err := m.addTables(title, encoded, runs); err != nil {
		return err
	}
	m.addManifest(cmp.Or(manifest, &profiledir.Manifest{}))
	return nil
}

// leaveOut notes that parts of a directory are left out.
func (m *merger) leaveOut(dir string, damaged ...input.Damage) {
	for _, d := range damaged {
		d.Name = filepath.Join(dir, d.Name)
		m.damaged = append(m.damaged, d)
	}
}

// A runCopy is a run, and the copy that it was read from.
type runCopy struct {
	mergedRun
	run *rundata.Run
}

// copyRuns copies run files, as many as can be read. A file is opened once and read once, whatever has its name by then: what
// is merged is what was read.
func (m *merger) copyRuns(title string, names []string) (list []runCopy, err error) {
	for _, name := range names {
		f, _, err := trust.Open(name, nil)
		if err != nil {
			m.leaveOut(title, input.FileDamage(input.RunFile, name, err))
			continue
		}
		c, err := m.copyRun(f)
		f.Close()
		if err != nil {
			return nil, err
		}
		run, err := rundata.ReadFile(c.file)
		if err == nil {
			run.Name = name
			list = append(list, runCopy{c, run})
			continue
		}
		if !errors.Is(err, rundata.ErrEmpty) { // else its process was killed before it executed any code that counts
			m.leaveOut(title, input.FileDamage(input.RunFile, name, errors.New(strings.TrimPrefix(err.Error(), c.file+": "))))
		}
		if err := os.Remove(c.file); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// copyRun copies a run file.
func (m *merger) copyRun(f *os.File) (c mergedRun, err error) {
	name := profiledir.Unnamed(strconv.Itoa(m.copies))
	m.copies++
	h := sha256.New()
	if err := m.to.WriteRun(name, io.TeeReader(f, h)); err != nil {
		return c, err
	}
	c.file = filepath.Join(m.to.Path, name)
	h.Sum(c.sum[:0])
	return c, nil
}

// addTablesOf adds the tables of a run.
func (m *merger) addTablesOf(dir string, run *rundata.Run) error {
	for _, p := range run.Packages {
		if err := m.addTable(dir, p.Path, p.Table); err != nil {
			return err
		}
	}
	return nil
}

// addTables adds the tables of packages that no run linked.
func (m *merger) addTables(dir string, encoded []input.EncodedTable, runs []*rundata.Run) error {
	linked := make(map[string]bool)
	for _, r := range runs {
		for _, p := range r.Packages {
			linked[p.Path] = true
		}
	}
	tables, damaged := input.DecodeTables(encoded, runs)
	m.leaveOut(dir, damaged...)
	for _, e := range tables {
		if linked[e.Table.Path] {
			continue
		}
		if err := m.addTable(dir, e.Table.Path, e.Data); err != nil {
			return err
		}
	}
	return nil
}

// addTable adds a table, or makes sure that it is the one that is there already.
func (m *merger) addTable(dir, path string, data []byte) error {
	if known, ok := m.tables[path]; ok {
		if bytes.Equal(known.data, data) { // equal tables have equal encodings, see table.Encode
			return nil
		}
		return differing(known, mergedTable{data: data, dir: dir})
	}
	t, err := input.DecodeTable(data)
	if err != nil {
		return nil // who reads the run leaves the package out
	}
	for _, other := range m.tables {
		if other.counts != countsOf(t) {
			return mixed(other, mergedTable{dir: dir, counts: countsOf(t)})
		}
		break // those that are there are alike
	}
	m.tables[path] = mergedTable{data, dir, countsOf(t)}
	return nil
}

// countsOf returns what the counts of a package are: those of its events where these are not exact.
func countsOf(t *table.Package) table.Method { return t.MethodOfEvents() }

func mixed(a, b mergedTable) error {
	if b.counts == table.Exact {
		a, b = b, a
	}
	return fmt.Errorf("%s has %s and %s %s, which do not add up; merge directories of one -mode", a.dir, method.Of(a.counts).Says().Counts, b.dir, method.Of(b.counts).Says().Counts)
}

// differing says what is different in two tables of a package.
func differing(a, b mergedTable) error {
	ta, err := input.DecodeTable(a.data)
	if err != nil {
		return fmt.Errorf("%s: %w", a.dir, err)
	}
	tb, err := input.DecodeTable(b.data)
	if err != nil {
		return fmt.Errorf("%s: package %s: %w", b.dir, ta.Path, err)
	}
	if a.counts, b.counts = countsOf(ta), countsOf(tb); a.counts != b.counts {
		return mixed(a, b)
	}
	what := "package " + ta.Path
	for i := range min(len(ta.Functions), len(tb.Functions)) {
		x, errX := json.Marshal(ta.Functions[i])
		y, errY := json.Marshal(tb.Functions[i])
		if errX != nil || errY != nil || !bytes.Equal(x, y) {
			what = fmt.Sprintf("%s (%s:%d)", ta.Functions[i].Name, ta.Functions[i].File, ta.Functions[i].Line)
			break
		}
	}
	return fmt.Errorf("%s is not the same in %s and %s: merge runs of one source with the same flags of wrap, or compare them with goprofinstr diff", what, a.dir, b.dir)
}

// addManifest makes m's manifest say what is true of all directories. Of what can be one thing only it takes the least, so
// that the order does not matter.
func (m *merger) addManifest(other *profiledir.Manifest) {
	m.merged++
	if m.merged == 1 {
		m.manifest = *other
		m.manifest.Sources, m.manifest.LineSums = maps.Clone(other.Sources), maps.Clone(other.LineSums)
		return
	}
	all := &m.manifest
	all.Mode, all.Root, all.Go = least(all.Mode, other.Mode), least(all.Root, other.Root), least(all.Go, other.Go)
	all.NotRun = slices.Compact(slices.Sorted(slices.Values(slices.Concat(all.NotRun, other.NotRun))))
	if !slices.Equal(all.Command, other.Command) || all.Dir != other.Dir || !slices.Equal(all.Wrap, other.Wrap) {
		all.Command, all.Dir, all.Wrap = nil, "", nil
	}
	if all.Commit != other.Commit {
		all.Commit = ""
	}
	if all.Head != other.Head {
		all.Head = ""
	}
	all.Modified = slices.Compact(slices.Sorted(slices.Values(slices.Concat(all.Modified, other.Modified))))
	if all.Sources == nil {
		all.Sources = make(map[string]string)
	}
	if all.LineSums == nil {
		all.LineSums = make(map[string][]byte)
	}
	for name, sum := range other.Sources {
		if known, ok := all.Sources[name]; ok && known != sum {
			sum = ""
		}
		all.Sources[name] = sum
	}
	for name, lines := range other.LineSums {
		if known, ok := all.LineSums[name]; ok && !bytes.Equal(known, lines) {
			all.Sources[name] = "" // so that neither a third directory nor another merge brings one of both back
		}
		all.LineSums[name] = lines
	}
	for name, sum := range all.Sources {
		if sum == "" {
			delete(all.LineSums, name)
		}
	}
}

// least returns the lesser of a and b that is not "".
func least(a, b string) string {
	if a == "" || b == "" {
		return cmp.Or(a, b)
	}
	return min(a, b)
}
