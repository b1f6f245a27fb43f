package profile

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

	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Merge puts the runs and the tables of profile directories into d, which is empty. What comes out is the same in
// whatever order and groups directories are merged: the runs are kept one by one, since a Profile adds them up anyhow, and what is
// built from several has them sorted. A run that is in two directories counts twice.
//
// The error, one line long, says which directories cannot be merged and why.
func Merge(d *Dir, dirs []string) error {
	m := merger{tables: make(map[string]mergedTable), runs: make(map[runName][]mergedRun)}
	for _, dir := range dirs {
		if err := m.add(dir); err != nil {
			return err
		}
	}
	var tables [][]byte
	for _, path := range slices.Sorted(maps.Keys(m.tables)) {
		tables = append(tables, m.tables[path].data)
	}
	if err := d.writeBuild(m.manifest, tables); err != nil {
		return err
	}
	for name, runs := range m.runs {
		// Equal names are of containers, or of one run twice.
		slices.SortFunc(runs, func(a, b mergedRun) int { return bytes.Compare(a.sum[:], b.sum[:]) })
		for i, r := range runs {
			if err := copySparse(filepath.Join(d.Path, name.file(i)), r.file); err != nil {
				return err
			}
		}
	}
	return nil
}

// A merger is what a merged directory is going to hold.
type merger struct {
	manifest Manifest
	merged   int                    // directories
	tables   map[string]mergedTable // by import path
	runs     map[runName][]mergedRun
}

type mergedTable struct {
	data   []byte
	dir    string // that it came from
	counts string // what is in the runs
}

type mergedRun struct {
	file string
	sum  [sha256.Size]byte
}

// runName is what a run file is named after.
type runName struct {
	pid   int
	start int64
}

// file returns the name of the ith run file that is named after n.
func (n runName) file(i int) string {
	if i == 0 {
		return fmt.Sprintf("run.%d.%d.gpi", n.pid, n.start)
	}
	return fmt.Sprintf("run.%d.%d.%d.gpi", n.pid, n.start, i)
}

func (m *merger) add(dir string) error {
	dir = current(dir)
	names, err := findRuns(dir)
	if err != nil {
		return err
	}
	manifest, err := ReadManifest(dir)
	if err != nil {
		return err
	}
	if manifest == nil {
		manifest = &Manifest{}
	} else if err := m.addTables(dir); err != nil {
		return err
	}
	for _, name := range names {
		run, err := rundata.ReadFile(name)
		if errors.Is(err, rundata.ErrEmpty) {
			continue // its process was killed before it executed any code that counts
		}
		if err != nil {
			return err
		}
		sum, err := sumFile(name)
		if err != nil {
			return err
		}
		key := runName{run.Pid, run.Start.UnixNano()}
		m.runs[key] = append(m.runs[key], mergedRun{name, sum})
		for _, p := range run.Packages {
			if err := m.addTable(dir, p.Path, p.Table); err != nil {
				return err
			}
		}
	}
	m.addManifest(manifest)
	return nil
}

// addTables adds the tables of packages, those that no run linked included.
func (m *merger) addTables(dir string) error {
	tables, err := readTables(dir)
	if err != nil {
		return err
	}
	for _, e := range tables {
		t, err := table.Decode(e.data)
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		if err := m.addTable(dir, t.Path, e.data); err != nil {
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
	t, err := table.Decode(data)
	if err != nil {
		return fmt.Errorf("%s: package %s: %w", dir, path, err)
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

const exactCounts = "exact counts"

// countsOf says what the counts of a package are.
func countsOf(t *table.Package) string {
	switch {
	case t.Stratified:
		return "messages of strata"
	case t.Sampled:
		return "samples"
	}
	return exactCounts
}

func mixed(a, b mergedTable) error {
	if b.counts == exactCounts {
		a, b = b, a
	}
	return fmt.Errorf("%s has %s and %s %s, which do not add up; merge directories of one -mode", a.dir, a.counts, b.dir, b.counts)
}

// differing says what is different in two tables of a package.
func differing(a, b mergedTable) error {
	ta, err := table.Decode(a.data)
	if err != nil {
		return fmt.Errorf("%s: %w", a.dir, err)
	}
	tb, err := table.Decode(b.data)
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

// addManifest makes m's manifest say what is true of all directories. Of what can be one thing only it takes the least, so that the order does not
// matter.
func (m *merger) addManifest(other *Manifest) {
	m.merged++
	if m.merged == 1 {
		m.manifest = *other
		m.manifest.Sources = maps.Clone(other.Sources)
		return
	}
	all := &m.manifest
	all.Mode, all.Root, all.Go = least(all.Mode, other.Mode), least(all.Root, other.Root), least(all.Go, other.Go)
	all.NotRun = slices.Compact(slices.Sorted(slices.Values(slices.Concat(all.NotRun, other.NotRun))))
	if !slices.Equal(all.Command, other.Command) {
		all.Command = nil
	}
	if all.Sources == nil {
		all.Sources = make(map[string]string)
	}
	for name, sum := range other.Sources {
		if known, ok := all.Sources[name]; ok && known != sum {
			sum = ""
		}
		all.Sources[name] = sum
	}
}

// least returns the lesser of a and b that is not "".
func least(a, b string) string {
	if a == "" || b == "" {
		return cmp.Or(a, b)
	}
	return min(a, b)
}

func sumFile(name string) (sum [sha256.Size]byte, err error) {
	f, err := os.Open(name)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return sum, err
	}
	h.Sum(sum[:0])
	return sum, nil
}

// copySparse copies a run file and leaves out pages of zeros: those of programs with many counters are mostly holes.
func copySparse(to, from string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, out.Close()) }()
	page, zeros := make([]byte, 4096), make([]byte, 4096)
	for at := int64(0); ; {
		n, err := io.ReadFull(in, page)
		if n > 0 && !bytes.Equal(page[:n], zeros[:n]) {
			if _, err := out.WriteAt(page[:n], at); err != nil {
				return err
			}
		}
		at += int64(n)
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return out.Truncate(at)
		case err != nil:
			return err
		}
	}
}
