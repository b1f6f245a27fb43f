package link

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/goprofinstr/goprofinstr/rewrite/copies"
	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/rewrite/patch"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
	"github.com/goprofinstr/goprofinstr/rewrite/restore"
	rt "github.com/goprofinstr/goprofinstr/rt/copies"
	"github.com/goprofinstr/goprofinstr/rt/pathlog"
)

// A Report says what became of the functions of a program.
type Report struct {
	Program string            // its file
	Counted int               // functions
	Not     map[string]string // others, and why
	Copies  int               // bytes of code
	Failed  bool              // the sources of a package could not be analysed: the next time they may

	Unplaced string // as in Linked
}

// NoCode is why a function is not counted that nothing in a program calls, or the compiler has left out.
const NoCode = "no code of it is in the program"

// reports is what the names of files with reports begin with.
const reports = "report-"

// write writes a report to the folder of records.
func (r *Report) write(folder string) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, fmt.Sprintf("%s%x.json", reports, sha256.Sum256([]byte(r.Program)))), data, 0o666)
}

// Reports returns those of the programs that have been linked, by a folder of records.
func Reports(folder string) (list []*Report, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), reports) {
			continue
		}
		name := filepath.Join(folder, e.Name())
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		r := new(Report)
		if err := json.Unmarshal(data, r); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, r)
	}
	return list, nil
}

// A Linked is a program that the linker has made.
type Linked struct {
	Program  string // its file
	Archives string // the linker's list of archives
	Main     string // archive of the main package
	Strip    Strip  // symbols and DWARF that are to be taken away
	Unplaced string // why the linker that places text has not linked it; "" if it has, or there is none
	Ahead    *Ahead // what was read while the linker ran; nil if nothing was
}

// Attach makes the copies of a program, whose file it replaces. Records are in a folder. Names of files are restored. A program
// that counts nothing gets that only. What is added to the program is taken from the keeper, if that has it.
func Attach(l Linked, records string, keeper Keeper) error {
	linked, err := os.ReadFile(l.Program)
	if err != nil {
		return err
	}
	p, err := open(linked)
	if err != nil {
		return err
	}
	packages, err := p.packages()
	if err != nil {
		return err
	}
	known, err := readAll(packages, l.Ahead, records)
	if err != nil {
		return err
	}
	tests, err := readTests(l, known, records)
	if err != nil {
		return err
	}
	var sum [sha256.Size]byte
	var key []string
	if len(packages) > 0 {
		if err := takesFaults(p.file); err != nil {
			return err
		}
		if sum, err = l.Ahead.sumOf(slices.Concat(known, tests)); err != nil {
			return err
		}
		key = words(linked, sum, l.Strip)
	}
	restored := sync.OnceValues(func() ([]byte, error) { return l.restore(linked) }) // p needs no names
	if len(packages) == 0 {
		data, err := restored()
		if err != nil {
			return err
		}
		return patch.Replace(l.Program, data)
	}
	go restored()
	var data []byte
	added := new(addition)
	if keeper.Get(key, added) {
		if data, err = restored(); err != nil {
			return err
		}
		data = added.apply(data)
	} else {
		if added, data, err = p.add(restored, l, packages, known, tests); err != nil {
			return err
		}
		if !added.Report.Failed {
			keeper.Put(key, added)
			keeper.Put(anyWords(sum), true)
		}
	}
	added.Report.Program, added.Report.Unplaced = l.Program, l.Unplaced
	if err := added.Report.write(records); err != nil {
		return err
	}
	return patch.Replace(l.Program, data)
}

// Restore replaces the file of a program that Attach has failed for by one without copies. Names of files are restored. A program
// that cannot be stripped keeps its symbols.
func Restore(l Linked) error {
	data, err := os.ReadFile(l.Program)
	if err != nil {
		return err
	}
	if data, _, err = restore.Names(data); err != nil {
		return fmt.Errorf("%s: %w", l.Program, err)
	}
	if small, err := stripped(data, l.Strip); err == nil {
		data = small
	}
	return patch.Replace(l.Program, data)
}

// restore returns a program as it is without copies. It writes to linked.
func (l *Linked) restore(linked []byte) ([]byte, error) {
	data, _, err := restore.Names(linked)
	if err == nil {
		data, err = stripped(data, l.Strip)
	}
	return data, err
}

// readAll reads the records of packages, as far as they have not been.
func readAll(packages []counted, ahead *Ahead, records string) (known []*Record, err error) {
	known = make([]*Record, len(packages))
	for i := range packages {
		if known[i], err = ahead.read(records, packages[i].id); err != nil {
			return nil, err
		}
		if n := len(known[i].Functions); packages[i].n != n {
			return nil, fmt.Errorf("package %s has %d functions in the program, and %d in its record", known[i].ID, packages[i].n, n)
		}
	}
	return known, nil
}

// readTests reads the records of the test files that are in a test program and are not counted.
func readTests(l Linked, known []*Record, records string) (tests []*Record, err error) {
	archives, err := readArchives(l.Archives)
	if err != nil {
		return nil, err
	}
	for program, file := range archives {
		tested, ok := strings.CutSuffix(program, ".test")
		if !ok || file != l.Main || !slices.ContainsFunc(known, func(r *Record) bool { return r.Path == tested }) {
			continue
		}
		for _, path := range []string{tested, tested + "_test"} { // those of the package, and those that are one by themselves
			id := fmt.Sprintf("%s [%s]", path, program)
			if slices.ContainsFunc(known, func(r *Record) bool { return r.ID == id }) {
				continue // they are counted
			}
			r, err := l.Ahead.read(records, id)
			switch {
			case errors.Is(err, fs.ErrNotExist):
			case err != nil:
				return nil, err
			default:
				tests = append(tests, r)
			}
		}
	}
	return tests, nil
}

// add makes the copies, and returns what is added to the program, and the program with it. Restored returns what it will be
// without.
func (p *program) add(
	restored func() ([]byte, error), l Linked, packages []counted, known, tests []*Record,
) (added *addition, after []byte, err error) {
	a, err := p.analyze(l, packages, known, tests)
	if err != nil {
		return nil, nil, err
	}
	data, err := restored()
	if err != nil {
		return nil, nil, err
	}
	after = append(make([]byte, 0, 2*len(data)), data...) // with room for copies, as most programs have them
	after, err = copies.Attach(after, a.copied, a.targets, copies.Settings{
		Mode: rt.Sampled, Uncounted: a.uncounted, Sampling: packages[0].sampling,
	})
	if err != nil {
		return nil, nil, err
	}
	if after, err = copies.AttachCold(after, a.copied, a.targets, 0); err != nil {
		return nil, nil, err
	}
	return difference(data, after, a.report), after, nil
}

// An analysis is what is put behind a program.
type analysis struct {
	copied    *copies.Copied
	targets   []pathlog.Target
	uncounted []rt.Uncounted
	report    Report
	failed    map[*counted]bool // packages whose sources cannot be used
}

// analyze maps and copies the functions of a program. Functions of tests are mapped, and none of them is counted.
func (p *program) analyze(l Linked, packages []counted, known, tests []*Record) (*analysis, error) {
	a := &analysis{report: Report{Not: make(map[string]string)}, failed: make(map[*counted]bool)}
	of := make([]*counted, len(packages))
	for i := range packages {
		of[i] = &packages[i]
	}
	for _, c := range p.unset {
		for k := range c.n {
			a.uncounted = append(a.uncounted, rt.Uncounted{Package: c.at, Function: uint32(k), Reason: rt.Uncopied})
		}
	}
	known = slices.Concat(known, tests)
	for range tests {
		of = append(of, new(counted))
	}
	s := l.Ahead.sources()
	if s == nil {
		var err error
		if s, err = readSources(l.Archives, l.Main); err != nil {
			return nil, err
		}
	}
	im, err := a.read(l, s, units(known, of))
	if err != nil {
		return nil, err
	}
	m, err := s.mapAll(im)
	if err != nil {
		return nil, err
	}
	return a, a.copy(p, m, known, of)
}

// read reads the sources of units, as far as they have not been, and the program beside them. One whose sources cannot be used
// has no functions there.
func (a *analysis) read(l Linked, s *sources, list []*unit) (im *machine.Image, err error) {
	var symbols []string
	for _, u := range list {
		symbols = append(symbols, s.symbols(u)...)
	}
	var wait sync.WaitGroup
	wait.Go(func() {
		if e := tried(func() error { im, err = openImage(l.Program, symbols); return nil }); e != nil {
			err = e
		}
	})
	for _, u := range list {
		src := l.Ahead.source(u)
		err := tried(func() (err error) {
			if src == nil {
				src, err = s.analyze(u)
			}
			return err
		})
		if err != nil {
			a.fail(u, err)
			continue
		}
		s.add(u, src)
	}
	if wait.Wait(); err != nil || !a.report.Failed {
		return im, err
	}
	symbols = nil
	for _, src := range s.list {
		symbols = append(symbols, src.symbols...)
	}
	return openImage(l.Program, symbols)
}

// fail notes that no function of a unit is counted.
func (a *analysis) fail(u *unit, err error) {
	a.report.Failed = true
	for i, r := range u.records {
		a.failed[u.of[i]] = true
		for k, f := range r.Functions {
			a.leave(u.of[i], r, k, f.Name, reason{rt.Internal, err.Error()})
		}
	}
}

func (a *analysis) leave(of *counted, r *Record, k int, name string, why reason) {
	a.uncounted = append(a.uncounted, rt.Uncounted{Package: of.at, Function: uint32(k), Reason: why.number})
	a.report.Not[r.Path+"."+name] = why.text
}

// copy makes the copies, and notes what is not counted.
func (a *analysis) copy(p *program, m *mapper, known []*Record, of []*counted) (err error) {
	records := make(map[*counted]*Record)
	for i := range of {
		records[of[i]] = known[i]
	}
	a.copied, a.targets, err = m.copyAll(copies.Base(p.file), func(f *pathmap.Func) pathlog.Target {
		at := m.places[f]
		return p.function(at.of, at.k, records[at.of].Functions[at.k].Paths)
	})
	if err != nil {
		return err
	}
	a.report.Copies = len(a.copied.Code)
	found := make(map[place]*pathmap.Func)
	for f, at := range m.places {
		found[at] = f
	}
	for i := range of {
		for k, fn := range known[i].Functions {
			f := found[place{of[i], k}]
			if f == nil {
				if !a.failed[of[i]] {
					a.leave(of[i], known[i], k, fn.Name, reason{rt.Unmapped, "it has another graph than its table"})
				}
				continue
			}
			if why, not := m.not[f]; not {
				a.leave(of[i], known[i], k, fn.Name, why)
			} else {
				a.report.Counted++
			}
		}
	}
	return nil
}
