package selection

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/alone"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gitdiff"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/internal/pgofile"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Data is what is known of tests from a profile directory.
type Data struct {
	dir      string
	manifest *profiledir.Manifest
	command  *gocmd.Command
	packages map[string]*alone.Package // by folder
	entered  map[*alone.Test]map[name]bool
	unread   map[*alone.Test]bool // something that it has counted cannot be read
	unowned  map[name]bool        // entered by processes that are of no test
	lost     bool                 // what they have entered cannot be read

	functions map[name]string      // all that are known, and why they were declined, or ""
	sums      map[string]table.Sum // of instrumented files, as path tables name them: those below the root by their names there
}

// A name is that of a function at package level, as keys of declarations have it.
type name struct{ pkg, key string }

// ReadData reads the profile in a directory, which wrap -per-test -alone has made.
func ReadData(dir string) (*Data, error) {
	current := profiledir.Current(dir)
	m, err := profiledir.ReadManifest(current)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, fmt.Errorf("%s has no profile: goprofinstr wrap -per-test -alone go test ./... makes one", dir)
	}
	d := &Data{
		dir: dir, manifest: m, entered: make(map[*alone.Test]map[name]bool), unread: make(map[*alone.Test]bool),
		unowned: make(map[name]bool), functions: make(map[name]string), sums: make(map[string]table.Sum),
	}
	if d.packages, err = alone.Read(dir); err != nil {
		return nil, err
	}
	switch {
	case len(d.packages) == 0:
		return nil, fmt.Errorf("%s does not tell what each test executes alone, as no merged profile does: "+
			"run goprofinstr wrap -per-test -alone go test ./...", dir)
	case m.Head == "":
		if _, why := gitdiff.StateOf("."); why != nil {
			return nil, fmt.Errorf("%s does not say of which commit it is, and here git does not, either: %w", dir, why)
		}
		return nil, fmt.Errorf("%s does not say of which commit it is: run goprofinstr wrap -per-test -alone in a checkout of git", dir)
	case m.Dir == "" || len(m.Command) == 0:
		return nil, fmt.Errorf("%s does not say which command has made it: run goprofinstr wrap -per-test -alone again", dir)
	}
	if d.command, err = gocmd.Parse(m.Command); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	for _, name := range gocmd.CoverFlags { // without which the tests have run
		d.command.Remove(name)
	}
	if filepath.IsAbs(d.command.Dir) {
		return nil, fmt.Errorf("%s: go -C has an absolute path, which may be that of another checkout", dir)
	}
	if name, ok := d.command.Lookup("overlay"); ok {
		return nil, fmt.Errorf("%s is of go test -overlay %s, and changes of files that replace others are not looked for: "+
			"run all tests, or goprofinstr wrap -per-test -alone without it", dir, name)
	}
	if err := d.readTables(current); err != nil {
		return nil, err
	}
	return d, d.readRuns(current)
}

// readTables reads what functions and files there are.
func (d *Data) readTables(dir string) error {
	names, err := profiledir.Tables(dir)
	if err != nil {
		return err
	}
	for _, file := range names {
		encoded, err := rundata.ReadWhole(file, table.MostBytes)
		if err != nil {
			return err
		}
		p, err := table.Decode(encoded)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for _, src := range p.Sources {
			d.sums[src.File] = src.Sum
		}
		for i := range p.Functions {
			f := &p.Functions[i]
			declined := f.Declined
			if declined == "" && f.Entries < 0 {
				declined = "its activations are not counted"
			}
			for _, key := range keysOf(p.Path, f.Name) {
				if at := (name{p.Path, key}); d.functions[at] == "" {
					d.functions[at] = declined
				}
			}
		}
	}
	return nil
}

// readRuns reads which functions processes have entered.
func (d *Data) readRuns(dir string) error {
	owners := make(map[string]*alone.Test)
	for _, p := range d.packages {
		for _, t := range p.Tests {
			d.entered[t] = make(map[name]bool)
			for _, run := range t.Runs {
				owners[run] = t
				if _, err := os.Stat(filepath.Join(dir, run)); err != nil {
					d.unread[t] = true
				}
			}
		}
	}
	tables := make(tables)
	for _, file := range profiledir.Glob(dir) {
		owner, entered := owners[filepath.Base(file)], d.unowned
		if owner != nil {
			entered = d.entered[owner]
		}
		if err := tables.add(file, entered); err != nil {
			d.lost = d.lost || owner == nil && !errors.Is(err, rundata.ErrEmpty)
			if owner != nil {
				d.unread[owner] = true
			}
		}
	}
	return nil
}

// tables are the functions of packages that have counters of activations, by the encoded table.
type tables map[string]*enteredTable

type enteredTable struct {
	pkg     string
	encoded []byte
	counter map[uint64][]string // keys of functions, by counter
}

// add adds what a run has entered.
func (all tables) add(file string, entered map[name]bool) error {
	run, err := rundata.ReadFile(file)
	if err != nil {
		return err
	}
	for _, p := range run.Packages {
		t := all[p.Path]
		if t == nil || !bytes.Equal(t.encoded, p.Table) {
			if t, err = newEnteredTable(p.Table); err != nil {
				return err
			}
			all[p.Path] = t
		}
		for at, keys := range t.counter {
			if at < uint64(len(p.Counters)) && p.Counters[at] > 0 {
				for _, key := range keys {
					entered[name{t.pkg, key}] = true
				}
			}
		}
	}
	return nil
}

func newEnteredTable(encoded []byte) (*enteredTable, error) {
	p, err := table.Decode(encoded)
	if err != nil {
		return nil, err
	}
	t := &enteredTable{p.Path, bytes.Clone(encoded), make(map[uint64][]string)}
	for i := range p.Functions {
		if f := &p.Functions[i]; f.Declined == "" && f.Entries >= 0 {
			t.counter[uint64(f.Entries)] = keysOf(p.Path, f.Name)
		}
	}
	return t, nil
}

// literal is the last part of the name of a function literal.
var literal = regexp.MustCompile(`^(func|gowrap|deferwrap)?\d+(-range\d+)*$`)

// keysOf returns the keys of the declaration that a function may be or be in, by its name as the runtime has it. There are
// two for a literal whose name could be that of a method.
func keysOf(pkg, full string) []string {
	if plain, err := url.PathUnescape(full); err == nil && !strings.HasPrefix(full, pkg+".") {
		full = plain // of a path such as gopkg.in/yaml.v3 the runtime escapes the dot
	}
	rest, ok := strings.CutPrefix(full, pkg+".")
	if !ok {
		rest = full[strings.LastIndexByte(full, '/')+1:]
		_, rest, _ = strings.Cut(rest, ".")
	}
	parts := strings.Split(pgofile.Plain(rest), ".")
	first := parts[0]
	if recv, ok := strings.CutPrefix(first, "(*"); ok && len(parts) > 1 {
		return []string{"method " + strings.TrimSuffix(recv, ")") + "." + strings.TrimSuffix(parts[1], "-fm")}
	}
	keys := []string{"func " + first}
	if len(parts) > 1 {
		if !literal.MatchString(parts[1]) {
			keys = nil
		}
		keys = append(keys, "method "+first+"."+parts[1])
	}
	return keys
}

// tests returns the tests of the package in a folder, nil if there is no data of them.
func (d *Data) tests(dir string) []*alone.Test {
	if p := d.packages[dir]; p != nil {
		return p.Tests
	}
	return nil
}

// isModified reports whether a file was other than in the commit of the data.
func (d *Data) isModified(file string) bool {
	return slices.ContainsFunc(d.manifest.Modified, func(m string) bool {
		return m == file || m == "" || strings.HasSuffix(m, "/") && strings.HasPrefix(file, m)
	})
}
