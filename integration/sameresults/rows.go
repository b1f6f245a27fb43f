package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/internal/show"
)

// A row is the comparison of one subject in one mode.
type row struct {
	Subject, Mode          string
	Results                int // compared
	PlainExit, WrappedExit string
	Differences            []*difference
	Counts                 *countRow `json:",omitempty"` // of exact modes on a target
}

// count returns how many differences are of a kind.
func (r *row) count(kind string) int {
	n := 0
	for _, d := range r.Differences {
		if d.kind() == kind {
			n++
		}
	}
	return n
}

// same reports whether whatever differs also does so without goprofinstr.
func (r *row) same() bool {
	return r.count(flaky) == len(r.Differences) && (r.Counts == nil || len(r.Counts.Other) == 0)
}

// compareAll returns the rows of all subjects in all modes.
func (r *runner) compareAll(subjects []*subject, modes []mode) ([]*row, error) {
	var rows []*row
	for _, s := range subjects {
		plain := make(map[string]results) // by the flags of go test
		for _, m := range modes {
			known, err := r.load(s, m)
			if err != nil {
				return nil, err
			}
			if known == nil || r.again && !known.same() {
				fmt.Fprintln(os.Stderr, s.name(), m.name)
				if known, err = r.compareOne(s, m, plain); err != nil {
					return nil, err
				}
			}
			rows = append(rows, known)
		}
	}
	return rows, nil
}

// compareOne makes a row and keeps it. The plain results of the subject are in plain once they are known.
func (r *runner) compareOne(s *subject, m mode, plain map[string]results) (*row, error) {
	flags := strings.Join(m.testFlags, " ")
	if plain[flags] == nil {
		run, err := r.plain(s, m, label(m, "plain", 0), s.Patterns)
		if err != nil {
			return nil, err
		}
		plain[flags] = run
	}
	wrapped, counted, err := r.wrapped(s, m, label(m, "wrapped", 0), s.Patterns)
	if err != nil {
		return nil, err
	}
	made := &row{
		Subject: s.name(), Mode: m.name, Results: len(plain[flags]) - 1, // without the exit code
		PlainExit: plain[flags][exitCode], WrappedExit: wrapped[exitCode],
		Differences: compare(plain[flags], wrapped),
	}
	if err := r.repeat(s, m, made); err != nil {
		return nil, err
	}
	if counted != nil {
		if made.Counts, err = r.countsFor(s, m, counted); err != nil {
			return nil, err
		}
	}
	return made, r.save(s, m, made)
}

// repeat runs the packages that differ again, both ways.
func (r *runner) repeat(s *subject, m mode, made *row) error {
	if len(made.Differences) == 0 {
		return nil
	}
	differing := packages(made.Differences)
	if len(differing) == 0 {
		differing = s.Patterns
	}
	for round := 1; round <= r.times; round++ {
		plain, err := r.plain(s, m, label(m, "plain", round), differing)
		if err != nil {
			return err
		}
		wrapped, _, err := r.wrapped(s, m, label(m, "wrapped", round), differing)
		if err != nil {
			return err
		}
		made.Differences = addRun(made.Differences, plain, wrapped)
	}
	return nil
}

// file is where a row is kept.
func (r *runner) file(s *subject, m mode) string {
	return filepath.Join(r.dir, "rows", s.name()+" "+m.name+r.target.suffix()+".json")
}

// load returns the row that is kept, or nil.
func (r *runner) load(s *subject, m mode) (*row, error) {
	data, err := os.ReadFile(r.file(s, m))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	kept := new(row)
	if err := json.Unmarshal(data, kept); err != nil {
		return nil, fmt.Errorf("%s: %v", r.file(s, m), err)
	}
	return kept, nil
}

func (r *runner) save(s *subject, m mode, made *row) error {
	data, err := json.MarshalIndent(made, "", "\t")
	if err != nil {
		return err
	}
	name := r.file(s, m)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o666)
}

// printRows prints a table of rows, and below it what differs. It reports whether all are the same.
func printRows(to io.Writer, rows []*row) (same bool, err error) {
	t := show.Table{Left: 1}
	t.Row("module and mode", "results", "different", "unsettled", "flaky", "exit codes")
	same = true
	for _, r := range rows {
		t.Row(fmt.Sprintf("%s, %s", r.Subject, r.Mode), fmt.Sprint(r.Results), fmt.Sprint(r.count(different)),
			fmt.Sprint(r.count(unsettled)), fmt.Sprint(r.count(flaky)), r.PlainExit+" "+r.WrappedExit)
		same = same && r.same()
	}
	if err := t.Write(to); err != nil {
		return false, err
	}
	for _, r := range rows {
		for _, d := range r.Differences {
			fmt.Fprintf(to, "%s: %s, %s: %s: plain %s, wrapped %s\n", d.kind(), r.Subject, r.Mode, d.Name,
				strings.Join(d.Plain, " "), strings.Join(d.Wrapped, " "))
		}
	}
	return same, printCounts(to, rows)
}

// printCounts prints how the counts on a target are those here, if that is known of any row.
func printCounts(to io.Writer, rows []*row) error {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r *row) bool { return r.Counts == nil })
	if len(rows) == 0 {
		return nil
	}
	t := show.Table{Left: 1}
	t.Row("functions with the counts that they have here", "same", "varying", "other")
	for _, r := range rows {
		t.Row(r.Subject+", "+r.Mode, fmt.Sprint(r.Counts.Same), fmt.Sprint(r.Counts.Varying), fmt.Sprint(len(r.Counts.Other)))
	}
	if err := t.Write(to); err != nil {
		return err
	}
	for _, r := range rows {
		for _, name := range r.Counts.Other {
			fmt.Fprintf(to, "other: %s, %s: %s\n", r.Subject, r.Mode, name)
		}
	}
	return nil
}
