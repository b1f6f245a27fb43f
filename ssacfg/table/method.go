package table

import "encoding/json"

// A Method is a way of counting, by name, as far as it says what the counts of a run are. What that is, which units they
// have and what can be known from them, whoever reads a run has to know: package export/profile.
type Method string

const (
	// Exact counts are executions.
	Exact Method = ""
	// Ticks have estimates, in units of runfile.SampleUnit, and the samples that these were made of: of bursts at ticks.
	Ticks Method = "ticks"
	// Strata have messages: what was sampled of a stream of events. Estimates and samples are computed from these when
	// a run is read.
	Strata Method = "strata"
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

// Methods returns the ways of counting of the package, its events and its functions, maybe more than once.
func (p *Package) Methods() []Method {
	list := []Method{p.Counts, p.Events}
	for i := range p.Functions {
		list = append(list, p.Functions[i].Counts)
	}
	return list
}

// MarshalJSON writes the name, but for the first three ways of counting. Tables had a boolean before there was a Method:
// whether it is not Exact. They can be read and written as they were: Package.Counts is Strata, rather than Ticks, where
// Events is.
func (m Method) MarshalJSON() ([]byte, error) {
	switch m {
	case Exact:
		return []byte("false"), nil
	case Ticks, Strata:
		return []byte("true"), nil
	}
	return json.Marshal(string(m))
}

// UnmarshalJSON is the inverse, but for Ticks, which settleMethod tells from Strata.
func (m *Method) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case "false":
		*m = Exact
		return nil
	case "true":
		*m = Strata
		return nil
	}
	return json.Unmarshal(data, (*string)(m))
}

// settleMethod completes what UnmarshalJSON has read.
func (p *Package) settleMethod() {
	if p.Counts == Strata && p.Events != Strata {
		p.Counts = Ticks
	}
}
