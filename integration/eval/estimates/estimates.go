// Package estimates reads from the JSON export of a profile how sure its numbers are. A number without an interval has
// none, and that is no error.
//
// Each path and each edge has these, if more is known of it than its count, which is the estimate. So has "calls" of a
// function, with the estimate under its own name:
//
//	exact      executions that were counted
//	samples    of which all others are estimated
//	low, high  the 95% interval of all; both equal to the estimate where all was counted
//
// An edge that is one of several out of its block has "share", its share of all of them. A function has
// "time_per_call", in ns of CPU time. Both have estimate, low and high. The samples of a time are ticks.
package estimates

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// A Number is an estimate with what is known of its error.
type Number struct {
	Exact, Estimate float64
	Samples         int64
	Low, High       *float64
}

// HasInterval reports whether n has an interval.
func (n *Number) HasInterval() bool { return n != nil && n.Low != nil && n.High != nil }

// Sure reports whether the interval is one number.
func (n *Number) Sure() bool { return *n.Low == *n.High }

// Holds reports whether the interval has the truth in it.
func (n *Number) Holds(truth float64) bool { return *n.Low <= truth && truth <= *n.High }

// Never returns the number of a path that a complete function does not list: 0, for sure.
func Never() *Number { return &Number{Low: new(float64), High: new(float64)} }

// A Function has the numbers of a function.
type Function struct {
	Package, Name, File string
	Line                int
	Calls               *Number
	TimePerCall         *Number `json:"time_per_call"`
	Paths               []Path
	Complete            bool // paths that are not listed were never executed
	Edges               []Edge
}

// A Path has how often it was executed. The same path has the same id in all modes.
type Path struct {
	ID    uint64 `json:",string"`
	Count float64
	Start string // entry or loop
	Number
}

// An Edge has how often it was executed.
type Edge struct {
	From  int
	Count float64
	Number
	Share *Number
}

// HaveIntervals reports whether any path or any function's calls have an interval.
func HaveIntervals(functions []Function) bool {
	return slices.ContainsFunc(functions, func(f Function) bool {
		return f.Calls.HasInterval() || slices.ContainsFunc(f.Paths, func(p Path) bool { return p.HasInterval() })
	})
}

// Read returns the numbers of the instrumented functions of a profile.
func Read(p *profile.Profile) ([]Function, error) {
	var text bytes.Buffer
	if err := export.WriteJSON(&text, p); err != nil {
		return nil, err
	}
	return parse(text.Bytes())
}

func parse(text []byte) ([]Function, error) {
	var all struct {
		Functions []struct {
			Function
			Status string
		}
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	var list []Function
	for _, f := range all.Functions {
		if f.Status == "instrumented" {
			for i := range f.Paths {
				f.Paths[i].Estimate = f.Paths[i].Count
			}
			for i := range f.Edges {
				f.Edges[i].Estimate = f.Edges[i].Count
			}
			list = append(list, f.Function)
		}
	}
	return list, nil
}
