package service

import (
	"fmt"
	"math"

	"github.com/goprofinstr/goprofinstr/integration/eval/accuracy"
	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// What issues ask of the numbers. Counts of what is called less often than this in a second have to be exact, the rest
// within so many percent.
const (
	rare      = 1000
	tolerance = 5
)

// Columns of the tables.
const (
	columnTruth    = "truth"
	columnEstimate = "estimate"
	columnError    = "error, %"
	columnLow      = "low"
	columnHigh     = "high"
	columnOwn      = "service's µs"
	columnReport   = "report's µs"
	columnSeen     = "seen"
	columnNever    = "called never"
)

// inner are functions in the handlers, as the profile names them, the last of which are the hot ones.
var inner = []string{"report", "product", "search", "price", "adjust", "sale", "scan", "match", "rebate"}

// handler returns the name of the function that serves a kind of requests.
func handler(kind string) string { return "serve" + string(kind[0]-'a'+'A') + kind[1:] }

// tables has what is found, with a suite for each mode.
type tables struct {
	report                    *result.Report
	handlers, functions       *result.Measure
	intervals, time, outcomes *result.Measure
}

func newTables(r *result.Report, seconds float64, load int) *tables {
	add := func(title string, columns ...string) *result.Measure {
		return &result.Measure{Title: title, Columns: columns, Absolute: true}
	}
	t := &tables{report: r}
	title := fmt.Sprintf("Calls of handlers against the generator's count, %v s beside %d busy loops", seconds, load)
	t.handlers = add(title, columnTruth, columnEstimate, columnError)
	t.functions = add("Calls of functions in them against exact counts", columnTruth, columnEstimate, columnError)
	t.intervals = add("95% intervals of the calls", columnTruth, columnLow, columnHigh)
	t.time = add("CPU time of a call: as the service has measured, and as the report has it; 0 if it has none",
		columnOwn, columnReport, columnError)
	t.outcomes = add("Outcomes of conditions: those that exact counts have seen, and those of them called never",
		columnSeen, columnNever)
	r.Measures = append(r.Measures, t.handlers, t.functions, t.time, t.outcomes)
	return t
}

// add adds what the profile of a run says, against the generator and the exact run.
func (t *tables) add(mode string, ran, exact *run) error {
	says, err := read(ran.profile)
	if err != nil {
		return err
	}
	truth, err := read(exact.profile)
	if err != nil {
		return err
	}
	v := verdict{mode: mode}
	for _, s := range streams {
		name := handler(s.kind)
		calls := float64(ran.answered[s.kind])
		addCalls(t.handlers, mode, fmt.Sprintf("%s, %g/s", name, s.rate), calls, says[name].calls)
		t.addInterval(mode, name, calls, says[name], &v)
		v.addHandler(s.rate, calls, says[name].calls)
	}
	for _, name := range inner {
		addCalls(t.functions, mode, name, truth[name].calls, says[name].calls)
		t.addInterval(mode, name, truth[name].calls, says[name], &v)
		v.addFunction(truth[name].calls, says[name].calls)
	}
	if mode != lab.Exact { // which knows no time
		t.addTimes(mode, ran, says)
	}
	return t.addOutcomes(mode, ran, exact, &v)
}

func addCalls(m *result.Measure, mode, name string, truth, estimate float64) {
	r := result.NewRow(mode, name)
	m.Rows = append(m.Rows, r)
	r.Add(columnTruth, truth, nil)
	r.Add(columnEstimate, estimate, nil)
	r.Add(columnError, percent(truth, estimate), nil)
}

// percent returns how far an estimate is off.
func percent(truth, estimate float64) float64 {
	if truth == 0 {
		return 100 * estimate
	}
	return 100 * (estimate/truth - 1)
}

func (t *tables) addInterval(mode, name string, truth float64, s said, v *verdict) {
	if !s.of.HasInterval() {
		return
	}
	if len(t.intervals.Rows) == 0 { // the table is left out where there are none
		t.report.Measures = append(t.report.Measures, t.intervals)
	}
	r := result.NewRow(mode, name)
	t.intervals.Rows = append(t.intervals.Rows, r)
	r.Add(columnTruth, truth, nil)
	r.Add(columnLow, *s.of.Low, nil)
	r.Add(columnHigh, *s.of.High, nil)
	v.intervals++
	if s.of.Holds(truth) {
		v.hold++
	}
}

// addTimes adds the time of a call of what the service measures itself.
func (t *tables) addTimes(mode string, ran *run, says map[string]said) {
	for _, s := range streams {
		own := ran.own[s.kind].perCall()
		r := result.NewRow(mode, s.kind)
		t.time.Rows = append(t.time.Rows, r)
		r.Add(columnOwn, own/1e3, nil)
		r.Add(columnReport, says[s.kind].perCall/1e3, nil)
		r.Add(columnError, percent(own, says[s.kind].perCall), nil)
	}
}

// addOutcomes adds how many outcomes are called never, notes which, and the verdict.
func (t *tables) addOutcomes(mode string, ran, exact *run, v *verdict) error {
	seen, never, err := accuracy.Outcomes(exact.profile, ran.profile)
	if err != nil {
		return err
	}
	r := result.NewRow(mode, "service")
	t.outcomes.Rows = append(t.outcomes.Rows, r)
	r.Add(columnSeen, float64(seen), nil)
	r.Add(columnNever, float64(len(never)), nil)
	v.never = len(never)
	t.report.Notes = append(t.report.Notes, v.String())
	for _, missed := range never {
		t.report.Notes = append(t.report.Notes, fmt.Sprintf("called never by %s: %v", mode, missed))
	}
	return nil
}

// A verdict says in a line whether the numbers of a mode can be believed.
type verdict struct {
	mode                  string
	rare, rareRight       int     // handlers with less than rare calls a second, and those whose count is exact
	frequent, closeEnough int     // the others, and those within the tolerance
	worst                 float64 // error of functions in them, in percent
	intervals, hold       int
	never                 int // outcomes
}

func (v *verdict) addHandler(rate, truth, estimate float64) {
	if rate < rare {
		v.rare++
		if truth == estimate {
			v.rareRight++
		}
		return
	}
	v.frequent++
	if math.Abs(percent(truth, estimate)) <= tolerance {
		v.closeEnough++
	}
}

func (v *verdict) addFunction(truth, estimate float64) {
	if e := percent(truth, estimate); math.Abs(e) > math.Abs(v.worst) {
		v.worst = e
	}
}

// good reports whether handlers and outcomes are as they should be.
func (v *verdict) good() bool {
	return v.rareRight == v.rare && v.closeEnough == v.frequent && v.never == 0 && v.hold == v.intervals
}

func (v *verdict) String() string {
	word := "no"
	if v.good() {
		word = "yes"
	}
	intervals := "no intervals"
	if v.intervals > 0 {
		intervals = fmt.Sprintf("%d of %d intervals hold the truth", v.hold, v.intervals)
	}
	return fmt.Sprintf("believe %s: %s; handlers below %d/s exact: %d of %d; others within %d%%: %d of %d; "+
		"worst function in them off by %.1f%%; outcomes called never: %d; %s", v.mode, word, rare, v.rareRight, v.rare,
		tolerance, v.closeEnough, v.frequent, v.worst, v.never, intervals)
}
