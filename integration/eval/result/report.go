package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"time"
)

// A Report is everything that was measured, in the form of the -json file.
type Report struct {
	Machine  Machine
	Options  string   // the command's arguments, without those that say where files are
	Took     float64  `json:",omitempty"` // s
	Notes    []string `json:",omitempty"` // what was asked for and cannot be had here
	Measures []*Measure

	file string // that it is saved to, or ""
}

// NewReport returns an empty report, which is saved to a file, if that is not "".
func New(m Machine, options, file string) *Report {
	return &Report{Machine: m, Options: options, file: file}
}

// SaveTo says which file save writes; "" for none.
func (r *Report) SaveTo(file string) { r.file = file }

// Save writes the report to its file, if it has one. An experiment calls it whenever another part is done: all of them
// may take an hour.
func (r *Report) Save() error {
	if r.file == "" {
		return nil
	}
	return r.write(r.file)
}

// A Machine is what results depend on besides the code. What cannot be found out is "unknown".
type Machine struct {
	CPU    string
	Cores  int // that the process may use
	OS     string
	Kernel string
	Go     string
	Commit string // of the module in the current directory
	Date   time.Time
	Load   string // average over 1, 5 and 15 minutes when the evaluation began
	After  string `json:",omitempty"` // the same when it had ended

	// Others is how many processors others have used meanwhile, in the mean; nil if that is not known.
	Others *float64 `json:",omitempty"`
}

// A Measure is one table: a quantity of several things, in several columns.
type Measure struct {
	Title     string
	Unit      string   // ns/op, instructions/op, bytes, s, MB
	Columns   []string // modes, mostly
	Absolute  bool     // else columns are compared with the first one
	Shares    bool     `json:",omitempty"` // or are shares of 1, of which 1 is best; of several values the median counts
	Geometric bool     `json:",omitempty"` // their geometric mean, instead
	Plot      string   `json:",omitempty"` // distinguishes the names of plots, if there is more than one
	Lines     bool     `json:",omitempty"` // columns are times, and the plot has lines instead of bars
	Curves    bool     `json:",omitempty"` // columns are numbers, rows are curves, and a value may be missing
	Rows      []*Row
}

// A Row has the values of one benchmark, package or module.
type Row struct {
	Suite, Name string
	Iterations  int                  `json:",omitempty"` // of each run
	Values      map[string][]float64 // by column, in order of time
	Failed      map[string]string    `json:",omitempty"` // reason, by column
	Source      string               `json:",omitempty"` // where the values were published, if they were not measured here
}

func NewRow(suite, name string) *Row {
	return &Row{Suite: suite, Name: name, Values: make(map[string][]float64), Failed: make(map[string]string)}
}

// Add adds a value to a column, unless err says that there is none.
func (r *Row) Add(column string, value float64, err error) {
	if err != nil {
		r.Failed[column] = err.Error()
		return
	}
	r.Values[column] = append(r.Values[column], value)
}

// Failure returns why a column has no result; "" if it has one.
func (r *Row) Failure(column string) string {
	if reason := r.Failed[column]; reason != "" {
		return reason
	}
	if len(r.Values[column]) == 0 {
		return "not run"
	}
	return ""
}

// Failed reports whether anything has no result.
func (r *Report) Failed() bool {
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

func (r *Report) write(name string) error {
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(onOneLine(data), '\n'), 0o666)
}

// lists matches a list of numbers in indented JSON.
var lists = regexp.MustCompile(`\[[\s\d.,eE+-]*\]`)

// onOneLine writes lists of numbers on one line each, for people who read differences.
func onOneLine(data []byte) []byte {
	return lists.ReplaceAllFunc(data, func(list []byte) []byte {
		return bytes.ReplaceAll(bytes.Join(bytes.Fields(list), nil), []byte(","), []byte(", "))
	})
}

func Read(name string) (*Report, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	r := new(Report)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("%s: %v", name, err)
	}
	return r, nil
}

// Find returns the row of a name; nil if there is no such table or row.
func (m *Measure) Find(suite, name string) *Row {
	if m == nil {
		return nil
	}
	for _, r := range m.Rows {
		if r.Suite == suite && r.Name == name {
			return r
		}
	}
	return nil
}
