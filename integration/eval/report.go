package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// A report is everything that was measured, in the form of the -json file.
type report struct {
	Machine  machine
	Options  string   // the command's arguments
	Notes    []string `json:",omitempty"` // what was asked for and cannot be had here
	Measures []*measure
}

// A measure is one table: a quantity of several things, in several columns.
type measure struct {
	Title     string
	Unit      string   // ns/op, instructions/op, bytes, s, MB
	Columns   []string // modes, mostly
	Absolute  bool     // else columns are compared with the first one
	Shares    bool     `json:",omitempty"` // or are shares of 1, of which 1 is best; of several values the median counts
	Geometric bool     `json:",omitempty"` // their geometric mean, instead
	Plot      string   `json:",omitempty"` // distinguishes the names of plots, if there is more than one
	Lines     bool     `json:",omitempty"` // columns are times, and the plot has lines instead of bars
	Curves    bool     `json:",omitempty"` // columns are numbers, rows are curves, and a value may be missing
	Rows      []*row
}

// A row has the values of one benchmark, package or module.
type row struct {
	Suite, Name string
	Iterations  int                  `json:",omitempty"` // of each run
	Values      map[string][]float64 // by column, in order of time
	Failed      map[string]string    `json:",omitempty"` // reason, by column
}

func newRow(suite, name string) *row {
	return &row{Suite: suite, Name: name, Values: make(map[string][]float64), Failed: make(map[string]string)}
}

// add adds a value to a column, unless err says that there is none.
func (r *row) add(column string, value float64, err error) {
	if err != nil {
		r.Failed[column] = err.Error()
		return
	}
	r.Values[column] = append(r.Values[column], value)
}

// failure returns why a column has no result; "" if it has one.
func (r *row) failure(column string) string {
	if reason := r.Failed[column]; reason != "" {
		return reason
	}
	if len(r.Values[column]) == 0 {
		return "not run"
	}
	return ""
}

// failed reports whether anything has no result.
func (r *report) failed() bool {
	for _, m := range r.Measures {
		for _, row := range m.Rows {
			for _, c := range m.Columns {
				if m.failure(row, c) != "" {
					return true
				}
			}
		}
	}
	return false
}

func (r *report) write(name string) error {
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(data, '\n'), 0o666)
}

func readReport(name string) (*report, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	r := new(report)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("%s: %v", name, err)
	}
	return r, nil
}

// lastLines returns the end of a command's output, for an error message.
func lastLines(out []byte) string {
	const most = 500
	return strings.TrimSpace(string(out[max(0, len(out)-most):]))
}
