package table

import "fmt"

// A Method is a way of counting, as far as it says what the counts of a run are.
type Method int

const (
	// Exact counts are executions.
	Exact Method = iota
	// Ticks have estimates, in units of runfile.SampleUnit, and the samples that these were made of: of bursts at ticks.
	Ticks
	// Strata have messages: what was sampled of a stream of events. Estimates and samples are computed from these when
	// a run is read.
	Strata
)

// MethodOf returns how the paths of a function are counted.
func (p *Package) MethodOf(f *Function) Method {
	if f.Counts != Exact {
		return f.Counts
	}
	return p.Counts
}

// MethodOfEvents returns how the package's Selectors are counted.
func (p *Package) MethodOfEvents() Method {
	if p.Events != Exact {
		return p.Events
	}
	return p.Counts
}

// methods has a row for each Method.
var methods = [...]struct {
	counts  string // what they are
	words   uint64 // of the package's array that a path has
	written string // in tables
}{
	Exact:  {"exact counts", 1, "false"},
	Ticks:  {"samples", 2, "true"},
	Strata: {"messages of strata", 2, "true"},
}

// String says what the counts are: "exact counts".
func (m Method) String() string { return methods[m].counts }

// MarshalJSON writes whether m is not Exact. Tables had that before there was a Method, and can be read and written as
// they were: Package.Counts is Strata, rather than Ticks, where Events is.
func (m Method) MarshalJSON() ([]byte, error) { return []byte(methods[m].written), nil }

// UnmarshalJSON is the inverse, but for Ticks, which settleMethod tells from Strata.
func (m *Method) UnmarshalJSON(data []byte) error {
	for i, row := range methods {
		if row.written == string(data) {
			*m = Method(i) // the last one
		}
	}
	if methods[*m].written != string(data) {
		return fmt.Errorf("way of counting %s", data)
	}
	return nil
}

// arrayed returns how many paths the package's array has room for.
func (p *Package) arrayed() uint64 { return p.Counters / methods[p.Counts].words }

// settleMethod completes what UnmarshalJSON has read.
func (p *Package) settleMethod() {
	if p.Counts == Strata && p.Events != Strata {
		p.Counts = Ticks
	}
}
