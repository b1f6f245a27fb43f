package gate

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/gate/internal/ignore"
	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/mcdc"
	"github.com/goprofinstr/goprofinstr/export/prime"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// Options are what is demanded.
type Options struct {
	Min      map[Measure]float64 // the least coverage in percent
	Baseline *profile.Profile    // coverage in total must not be less than its; or nil
	Base     *Base               // the commit that the change begins at; or nil
	Lines    Lines               // what Min is about
	Most     int                 // how many missing things of each failed measure are named

	Functions []string // the names of those that Min is about, of which the end is enough (see CheckNames); nil for all
	Generated bool     // generated files are demanded, too
}

// Result is what came out.
type Result struct {
	Gates      []Gate
	Missing    []*Missing           // of failed gates, by measure, the most useful first
	More       map[Measure]*big.Int // how many are not in Missing
	Infeasible *big.Int             // paths that are not demanded
	Unknown    []*profile.Function  // with infeasible paths that could not be counted
	Declined   int                  // functions
	Unread     []string             // what cannot be read at all, a line each: the check has failed
	NotRun     []string             // packages whose tests did not run; their functions are demanded as others are
	LeftOut    int                  // functions whose counts cannot be read, which count as not covered
	Damaged    int                  // other parts that cannot be read: what they have executed counts as not covered
	OnChanged  bool                 // Min is about changed lines
	Named      bool                 // Min is about functions that were named
	Apart      mcdc.Total           // conditions that no gate on MC/DC is about
	Primes     prime.Total          // if there is a gate on prime paths
	Ignored    Ignored
	Change     *Change // nil without a Base
}

// A Gate is one demand.
type Gate struct {
	Measure  Measure
	Coverage Coverage
	Want     float64   // percent; of one with a Baseline, what that has
	Baseline *Coverage // or nil
	Ignored  *big.Int  // what is not in Coverage by //goprofinstr:ignore
	Passed   bool
	Open     bool // it has not, and might have if it were known what is doubtful
}

// Passed reports whether all gates have, and nothing keeps them from being about all of the code.
func (r *Result) Passed() bool {
	return len(r.Unread) == 0 && !slices.ContainsFunc(r.Gates, func(g Gate) bool { return !g.Passed })
}

// ErrSampled is the error for profiles of which nothing is known that was not seen.
var ErrSampled = errors.New("its paths were sampled, and what was not seen may have been executed all the same; coverage needs -mode exact")

// Check holds p against the demands. Where paths were sampled, only what is known counts. What was not seen and may have been
// executed counts as not covered, and is Doubtful.
func Check(p *profile.Profile, o Options) (*Result, error) {
	for _, p := range o.profiles(p) {
		if p.Unsettled() != "" {
			return nil, fmt.Errorf("%w (%s)", ErrSampled, p.Unsettled())
		}
	}
	r := &Result{
		More: make(map[Measure]*big.Int), Infeasible: new(big.Int), OnChanged: o.Lines != nil, Named: o.Functions != nil,
	}
	texts := code.New(p)
	directives := o.directives(texts)
	s := &scope{lines: o.Lines, names: o.Functions, texts: texts, directives: directives, most: o.Most}
	_, s.effects = o.Min[MCDC]
	_, s.primes = o.Min[Prime]
	if s.primes && !HasPairs(p) {
		return nil, ErrNoPairs
	}
	functions, coverage := measureAll(p, s)
	r.addGates(o.Min, functions, coverage)
	everywhere := functions
	if o.Baseline != nil {
		everywhere = r.addBaseline(p, o, texts)
	}
	if o.Base != nil {
		r.addChange(p, o, texts, functions)
	}
	r.addFunctions(functions)
	r.addIgnored(everywhere, directives)
	r.addDamage(p, o.Baseline)
	r.addApart(functions)
	r.Declined = p.Coverage().Declined - r.LeftOut
	lost := findLost(o.Baseline, p)
	r.addGiven(everywhere, lost)
	for _, m := range Measures {
		switch {
		case r.failed(m, false):
			r.nameMissing(m, functions, lost, o.Most)
		case r.failed(m, true):
			r.nameMissing(m, everywhere, lost, o.Most)
		}
	}
	return r, nil
}

// addGates holds the coverage of functions against what is demanded.
func (r *Result) addGates(min map[Measure]float64, functions []*measured, coverage map[Measure]*Coverage) {
	for _, m := range Measures {
		if want, ok := min[m]; ok {
			g := Gate{Measure: m, Coverage: *coverage[m], Want: want, Ignored: sumIgnored(functions, m),
				Passed: reaches(coverage[m].share(), want)}
			g.Open = !g.Passed && reaches(g.Coverage.most(), want)
			r.Gates = append(r.Gates, g)
		}
	}
}

// addFunctions adds up what is beside the gates: infeasible paths, prime paths, and functions of which nothing is known.
func (r *Result) addFunctions(functions []*measured) {
	for _, f := range functions {
		if f.primes != nil {
			r.Primes.Add(f.primes)
		}
		if f.ignore.Whole {
			continue
		}
		r.Infeasible.Add(r.Infeasible, new(big.Int).SetUint64(f.Table.Values.NumPaths-f.all))
		if f.unknown {
			r.Unknown = append(r.Unknown, f.Function)
		}
	}
}

// profiles returns p and the profiles that it is compared with.
func (o *Options) profiles(p *profile.Profile) []*profile.Profile {
	list := []*profile.Profile{p}
	if o.Baseline != nil {
		list = append(list, o.Baseline)
	}
	if o.Base != nil {
		list = append(list, o.Base.Profile)
	}
	return list
}

// A scope is what is measured.
type scope struct {
	lines      Lines
	names      []string // of functions; nil for all
	texts      *code.Texts
	directives *ignore.Sources
	effects    bool // of conditions on decisions, which take their sources
	primes     bool // of prime paths, of which most are kept of a function
	most       int
}

// measureAll measures the functions that are instrumented, and all of them together.
func measureAll(p *profile.Profile, s *scope) ([]*measured, map[Measure]*Coverage) {
	coverage := newCoverages()
	var functions []*measured
	for _, f := range p.Functions() {
		if f.LeftOut != nil {
			f = neverExecuted(f.Package, f.LeftOut)
		}
		if f.Declined() || s.names != nil && !isNamed(f, s.names) {
			continue
		}
		m := measure(f, s.lines, s.texts, s.directives)
		if s.effects {
			m.addEffects(s.lines)
		}
		if s.primes {
			m.addPrimes(s.most)
		}
		m.addTo(coverage)
		functions = append(functions, m)
	}
	return functions, coverage
}

// reaches compares exactly: 80% of 5 is 4, whatever floating-point numbers make of it.
func reaches(share *big.Rat, percent float64) bool {
	want, ok := new(big.Rat).SetString(fmt.Sprint(percent))
	if !ok {
		panic(fmt.Sprintf("BUG: %v percent", percent))
	}
	return share.Cmp(want.Quo(want, big.NewRat(100, 1))) >= 0
}

// failed reports whether a gate for a measure has failed: that with a baseline, or the other one.
func (r *Result) failed(m Measure, baseline bool) bool {
	return slices.ContainsFunc(r.Gates, func(g Gate) bool { return g.Measure == m && !g.Passed && (g.Baseline != nil) == baseline })
}

// addBaseline adds the gates that nothing is worse than in the baseline, on any lines, and returns the functions measured so.
func (r *Result) addBaseline(p *profile.Profile, o Options, texts *code.Texts) []*measured {
	functions, now := measureAll(p, &scope{texts: texts, directives: o.directives(texts)})
	_, before := measureAll(o.Baseline, &scope{texts: texts, directives: o.earlierDirectives(p, o.Baseline)})
	for _, m := range Measures {
		if m == MCDC || m == Prime { // the baseline may not have the sources any more, or no pairs
			continue
		}
		r.Gates = append(r.Gates, Gate{
			Measure: m, Coverage: *now[m], Want: before[m].Percent(), Baseline: before[m], Ignored: sumIgnored(functions, m),
			Passed: now[m].share().Cmp(before[m].share()) >= 0,
		})
	}
	return functions
}

// nameMissing adds what functions are missing of a measure.
func (r *Result) nameMissing(measure Measure, functions []*measured, lost *lost, most int) {
	var list []*Missing
	total := new(big.Int)
	for _, f := range functions {
		found, n := f.missingOf(measure, most, lost)
		list = append(list, found...)
		total.Add(total, n)
	}
	slices.SortStableFunc(list, (*Missing).order)
	list = list[:min(len(list), most)]
	r.Missing = append(r.Missing, list...)
	r.More[measure] = total.Sub(total, big.NewInt(int64(len(list))))
}

// missingOf returns what is missing of a function, and how much that is in all.
func (m *measured) missingOf(measure Measure, most int, lost *lost) (list []*Missing, total *big.Int) {
	m.searched = 0
	switch measure {
	case Path:
		if !m.KnowsAll() {
			return nil, new(big.Int)
		}
		all := new(big.Int).SetUint64(m.paths)
		return m.missingPaths(most, lost), all.Sub(all, big.NewInt(int64(m.covered)))
	case Branch:
		list = m.missingBranches(lost)
	case Condition:
		list = m.missingOutcomes(lost)
	case Statement:
		list = m.missingStatements(lost)
	case MCDC:
		list = m.missingEffects(lost)
	case Prime:
		return m.missingPrimes(), big.NewInt(int64(m.primes.Total[prime.Missing]))
	}
	return list, big.NewInt(int64(len(list)))
}
