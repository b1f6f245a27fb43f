package link

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/goprofinstr/goprofinstr/rewrite/copies"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
	"github.com/goprofinstr/goprofinstr/rewrite/restore"
	rt "github.com/goprofinstr/goprofinstr/rt/copies"
)

// A Report says what became of the functions of a program.
type Report struct {
	Program string            // its file
	Counted int               // functions
	Not     map[string]string // others, and why
	Copies  int               // bytes of code
}

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
	files, err := filepath.Glob(filepath.Join(folder, reports+"*"))
	if err != nil {
		return nil, err
	}
	for _, name := range files {
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
	Strip    bool   // symbols and DWARF are to be taken away
}

// Attach makes the copies of a program, whose file it replaces. Records are in a folder. Names of files are restored. A program that
// counts nothing gets that only.
func Attach(l Linked, records string) error {
	data, err := os.ReadFile(l.Program)
	if err != nil {
		return err
	}
	p, err := open(data)
	if err != nil {
		return err
	}
	a, err := p.analyze(l, records)
	if err != nil {
		return err
	}
	if data, _, err = restore.Names(data); err != nil {
		return err
	}
	if l.Strip {
		if data, err = stripped(data); err != nil {
			return err
		}
	}
	if a.copied != nil {
		settings := copies.Settings{Mode: rt.Sampled, Uncounted: a.uncounted}
		if data, err = copies.Attach(data, a.copied, a.targets, settings); err != nil {
			return err
		}
	}
	return errors.Join(replace(l.Program, data), a.report.write(records))
}

// An analysis is what is put behind a program.
type analysis struct {
	copied    *copies.Copied // nil if there is nothing to count
	targets   []rt.Target
	uncounted []rt.Uncounted
	report    Report
	failed    map[*counted]bool // packages whose sources cannot be used
}

// analyze maps and copies the functions of a program.
func (p *program) analyze(l Linked, records string) (*analysis, error) {
	a := &analysis{report: Report{Program: l.Program, Not: make(map[string]string)}, failed: make(map[*counted]bool)}
	packages, err := p.packages()
	if err != nil || len(packages) == 0 {
		return a, err
	}
	known := make([]*Record, len(packages))
	of := make([]*counted, len(packages))
	for i := range packages {
		if known[i], err = read(records, packages[i].id); err != nil {
			return nil, err
		}
		if of[i] = &packages[i]; of[i].n != len(known[i].Functions) {
			return nil, fmt.Errorf("package %s has %d functions in the program, and %d in its record", known[i].ID, of[i].n,
				len(known[i].Functions))
		}
	}
	files, err := readArchives(l.Archives)
	if err != nil {
		return nil, err
	}
	s := newSources(files, l.Main)
	for _, u := range units(known, of) {
		if err := tried(func() error { return s.add(u) }); err != nil {
			a.fail(u, err)
		}
	}
	m, err := s.mapAll(l.Program)
	if err != nil {
		return nil, err
	}
	return a, a.copy(p, m, known, of)
}

// fail notes that no function of a unit is counted.
func (a *analysis) fail(u *unit, err error) {
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
	a.copied, a.targets, err = m.copyAll(copies.Base(p.file), func(f *pathmap.Func) rt.Target {
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

// replace writes a file at once.
func replace(name string, data []byte) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(info.Mode()), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
