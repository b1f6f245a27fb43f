package page

import (
	"math/big"
	"slices"
	"time"

	"github.com/goprofinstr/goprofinstr/export/gate"
	"github.com/goprofinstr/goprofinstr/export/internal/about"
	"github.com/goprofinstr/goprofinstr/export/internal/holes"
	"github.com/goprofinstr/goprofinstr/export/internal/hot"
	"github.com/goprofinstr/goprofinstr/export/internal/known"
	"github.com/goprofinstr/goprofinstr/export/internal/predict"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// listed is how many paths and functions the lists of the first page have: what one looks at without scrolling much.
const listed = 15

// overview is the first page.
type overview struct {
	Headline string // what most readers want to know, in one sentence
	Tests    bool   // all that ran are tests
	Facts    facts
	Sampled  bool // counts are estimates, but for functions of which more is known
	Warnings []string
	Shares   []share // coverage

	Missed         []hole // conditions that tests never saw one way
	MissedMore     int    // outcomes besides
	HotPaths       []hotPath
	HotFunctions   []hotFunction
	Packages       []*pkg
	Flow           int64
	All            *known.Flow
	Predicted      string // percent; "" if it is not known
	Mispredictions []misprediction
	Mispredicted   int
	Holes          []*function // that ran and have branches that did not
	Declined       []reasoned

	Unknown     []unknown  // functions with paths that are not known
	UnknownMore int        // functions besides
	Uncounted   []reasoned // functions that copies of machine code do not count
}

// facts are what kind of profile it is, of how many runs, and from when: "Exact counts" of "2 runs", "21 Nov 2026 20:15".
type facts struct{ Kind, Runs, When string }

// share is a part of a whole.
type share struct {
	Name     string
	Executed string
	All      string
	Percent  string
	Part     float64 // 0 to 100
	About    string  // what it is, "" if that is plain
}

// hotPath is a path of some function in a list.
type hotPath struct {
	Function *function
	Path     *profile.Path
	Percent  string
	Part     float64
	Times    string   // executions
	Interval string   // of an estimate
	Steps    []string // what happens on it
	Lines    []string
}

// hotFunction is a function in which CPU time was spent.
type hotFunction struct {
	*hot.Function
	In                  *function // nil if it is not instrumented
	SelfShare, CumShare string    // percent
	Part                float64
	Times               string // calls
	Each                string // CPU time of a call
}

// misprediction is a function whose edges tell another path than the hottest.
type misprediction struct {
	Function           *function
	Hottest, Predicted hotPath
}

// reasoned is functions without counts, for one reason.
type reasoned struct {
	Reason    string
	Functions []*function
}

// unknown is a function with paths that are not known.
type unknown struct {
	Function *function
	Percent  string // of its paths that ended
}

func (s *Site) newOverview() *overview {
	o := &overview{
		Headline: show.Title(about.Headline(s.p)) + ".", Tests: about.Tests(s.p), Facts: s.facts(), Sampled: s.p.Rule() < profile.Whether,
		Warnings: about.Warnings(s.p), Shares: shares(s.p.Functions(), s.total), Packages: s.packages, Flow: s.total.Flow, All: s.flow,
	}
	if o.Tests {
		s.addMissed(o)
	}
	for _, h := range hot.Paths(s.p, listed) {
		o.HotPaths = append(o.HotPaths, s.newHotPath(s.byFunc[h.Function], h.Path))
	}
	o.HotFunctions = s.hotFunctions()
	right, all := predict.Predicted(s.p)
	if part := s.flow.Part(right, all); part != show.Unknown {
		o.Predicted = part
	}
	wrong := predict.Mispredictions(s.p)
	o.Mispredicted = len(wrong)
	for i := range wrong[:min(listed, len(wrong))] {
		f := s.byFunc[wrong[i].Function]
		o.Mispredictions = append(o.Mispredictions, misprediction{f, s.newHotPath(f, wrong[i].Hottest), s.newHotPath(f, &wrong[i].Predicted)})
	}
	o.Holes = s.holes()
	o.Declined = s.reasoned(about.DeclinedByReason(s.p))
	o.Uncounted = s.reasoned(about.UncountedByReason(s.p))
	list := about.UnknownPaths(s.p)
	o.UnknownMore = max(0, len(list)-listed)
	for _, f := range list[:len(list)-o.UnknownMore] {
		o.Unknown = append(o.Unknown, unknown{s.byFunc[f], about.UnknownShare(f)})
	}
	return o
}

func (s *Site) reasoned(groups []about.Group) (list []reasoned) {
	for _, g := range groups {
		r := reasoned{Reason: show.Printable(g.Reason)}
		for _, f := range g.Functions {
			r.Functions = append(r.Functions, s.byFunc[f])
		}
		list = append(list, r)
	}
	return list
}

// facts returns those of the profile, none if nothing has run.
func (s *Site) facts() facts {
	if len(s.p.Runs) == 0 {
		return facts{}
	}
	return facts{s.p.Title(), show.Plural(len(s.p.Runs), "run"), s.p.Runs[0].Start.Local().Format("2 Jan 2006 15:04")}
}

// addMissed adds the conditions at which tests miss most.
func (s *Site) addMissed(o *overview) {
	o.MissedMore = s.total.Conditions - s.total.ConditionsExecuted
	for _, h := range holes.All(s.p) {
		if h.Known() && h.Other > 0 && len(o.Missed) < listed {
			o.Missed = append(o.Missed, s.newHole(h))
			o.MissedMore--
		}
	}
}

// shares is a coverage of functions as a list. Paths come last, out of those that can be executed.
func shares(functions []*profile.Function, c profile.Coverage) []share {
	of := func(name string, n, all int) share {
		return share{name, show.Grouped(int64(n)), show.Grouped(int64(all)), show.Percent(int64(n), int64(all)), part(int64(n), int64(all)), ""}
	}
	possible := possiblePaths(functions, c.PathsExecuted)
	paths := share{Name: "Paths", Executed: show.Grouped(int64(c.PathsExecuted)), All: show.Possible(possible), Percent: show.PercentBig(int64(c.PathsExecuted), possible)}
	paths.About = "A path is one way through a function, or once round a loop in it. These can be executed, as far as is known."
	if possible.Sign() > 0 {
		f, _ := new(big.Rat).SetFrac(big.NewInt(int64(c.PathsExecuted)), possible).Float64()
		paths.Part = 100 * f
	}
	return []share{
		of("Conditions", c.ConditionsExecuted, c.Conditions), of("Branches", c.BranchesExecuted, c.Branches), of("Statements", c.StatementsExecuted, c.Statements), paths,
	}
}

// possiblePaths returns how many paths of functions can be executed, as far as is known, and at least as many as were.
func possiblePaths(functions []*profile.Function, executed int) *big.Int {
	n := gate.PossiblePaths(functions)
	if least := big.NewInt(int64(executed)); n.Cmp(least) < 0 {
		return least
	}
	return n
}

// Possible returns how many paths of f can be executed.
func (f *function) Possible() *big.Int {
	return possiblePaths([]*profile.Function{f.Function}, f.Coverage.PathsExecuted)
}

// Possible returns how many paths of p can be executed.
func (p *pkg) Possible() *big.Int {
	return possiblePaths(p.Package.Functions, p.Coverage.PathsExecuted)
}

// FlowShare is the share of p in the flow of the profile.
func (p *pkg) FlowShare(all *known.Flow) string { return all.ShareOf(p.Package.Functions...) }

// part returns n in percent of all, for bars.
func part(n, all int64) float64 {
	if all <= 0 {
		return 0
	}
	return 100 * float64(n) / float64(all)
}

func (s *Site) newHotPath(f *function, p *profile.Path) hotPath {
	return hotPath{
		Function: f, Path: p, Percent: s.flow.Share(f.Function, p), Part: part(p.Flow(), s.total.Flow), Times: known.Count(f.Function, p),
		Interval: known.Interval(f.Function, p), Steps: s.texts.Of(f.Function).Path(p), Lines: f.Steps(p),
	}
}

func (s *Site) hotFunctions() []hotFunction {
	all := hot.ByTime(s.p)
	total := int64(0)
	for _, h := range all {
		total += h.Self
	}
	var list []hotFunction
	for _, h := range timed(s.p, all) {
		row := hotFunction{Function: h, In: s.byFunc[h.Function],
			SelfShare: show.Share(h.Self, total, h.SelfTicks), CumShare: show.Share(h.Cum, total, h.Ticks), Part: part(h.Self, total)}
		if h.Calls > 0 {
			row.Times, row.Each = known.Calls(h.Function), known.Each(h.Function, h.Cum, h.Ticks)
		}
		list = append(list, row)
	}
	return list
}

// timed returns the functions to list of all in which CPU time was spent: those that are instrumented, by what they take
// with all that they call, and then others of which enough ticks tell. A handler that takes the time may spend none itself.
func timed(p *profile.Profile, all []*hot.Function) []*hot.Function {
	list := hot.ByCum(p)
	list = list[:min(listed, len(list))]
	for _, h := range all {
		if h.Function == nil && h.Ticks >= show.LeastSamples && len(list) < 2*listed {
			list = append(list, h)
		}
	}
	if len(list) == 0 {
		return all[:min(listed, len(all))]
	}
	return list
}

// holes returns the executed functions that miss most branches.
func (s *Site) holes() []*function {
	var list []*function
	for _, f := range s.functions {
		if f.Executed() && f.Missing() > 0 {
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b *function) int { return b.Missing() - a.Missing() })
	return list[:min(listed, len(list))]
}

// duration writes nanoseconds with three digits.
func duration(ns int64) string { return show.Round(time.Duration(ns)).String() }
