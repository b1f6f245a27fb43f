package profile

import (
	"maps"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profile/internal/method"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Certainty is what is known of executions; more has a larger value.
type Certainty = method.Certainty

// What is known: see package method.
const (
	Estimated = method.Estimated // about how often; what was not seen may have been executed all the same
	Whether   = method.Whether   // whether, but not how often
	HowOften  = method.HowOften  // how often, exactly
)

// Certainty returns what is known of all functions of p; of some it may be more.
func (p *Profile) Certainty() Certainty {
	least := p.Rule()
	for _, f := range p.Functions() {
		if !f.Declined() {
			least = min(least, f.Certainty())
		}
	}
	return least
}

// Rule returns what is known of functions by the mode of p. Of those that are exceptions it may be less.
func (p *Profile) Rule() Certainty { return method.Of(p.rule()).Certainty() }

// rule returns how functions are counted of which nothing else is said.
func (p *Profile) rule() table.Method {
	for _, pkg := range p.Packages {
		if pkg.Method != table.Exact {
			return pkg.Method
		}
	}
	return table.Exact
}

// Certainty returns what is known of all paths and branches of f; of some it may be more.
func (f *Function) Certainty() Certainty { return method.Of(f.Method).Certainty() }

// counted tells that all runs counted the paths that rarely end, and lost none.
func (p *Profile) counted() bool {
	for _, r := range p.Runs {
		if r.Sampling == nil || !r.Sampling.Counted || r.Lost > 0 {
			return false
		}
	}
	return len(p.Runs) > 0
}

// CertaintyOf returns what is known of a path of f, nil for one that was not seen. Where sites are counted as long as
// paths rarely end there, it is how often, if no site where the path ends was ever sampled. Of paths that did not come
// to their end, since a panic or the end of the program abandoned the activation, nothing is known.
func (f *Function) CertaintyOf(p *Path) Certainty {
	if p != nil && f.Counted && (f.Missed == nil || !f.Missed[p.last()]) {
		return HowOften
	}
	return f.Certainty()
}

// Mode is what -mode calls the way in which p was counted.
func (p *Profile) Mode() string {
	for _, pkg := range p.Packages {
		if pkg.Events != table.Exact {
			return method.Of(pkg.Events).Says().Mode
		}
	}
	return method.Of(table.Exact).Says().Mode
}

// Title is what p has: "Exact counts", or "Exact counts, and estimates where paths are too many,".
func (p *Profile) Title() string {
	title := method.Of(p.rule()).Says().Title
	if p.Certainty() < p.Rule() {
		title += ", and estimates where paths are too many,"
	}
	return title
}

// Account says how counts of p came about that are not simply counted; "" if all are.
func (p *Profile) Account() string {
	accounts := make(map[table.Method]*method.Account)
	if rule := p.rule(); rule != table.Exact {
		accounts[rule] = new(method.Account)
	}
	for _, f := range p.Functions() {
		if f.Declined() || f.Method == table.Exact {
			continue
		}
		if accounts[f.Method] == nil {
			accounts[f.Method] = new(method.Account)
		}
		a := accounts[f.Method]
		a.Functions++
		for i := range f.Paths {
			a.Samples += f.Paths[i].Samples
			a.Ends += f.Paths[i].Count
		}
	}
	var list []string
	for _, m := range slices.Sorted(maps.Keys(accounts)) {
		a := accounts[m]
		a.Rule = m == p.rule()
		for _, r := range p.Runs {
			if r.Sampling != nil {
				a.Samplings = append(a.Samplings, r.Sampling)
			}
			if r.Stream != nil {
				a.Streams = append(a.Streams, r.Stream)
			}
		}
		if text := method.Of(m).Account(*a); text != "" {
			list = append(list, text)
		}
	}
	return strings.Join(list, "; ")
}
