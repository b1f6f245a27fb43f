package callers

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

const (
	// tolerance is how many points the share of a caller may be off.
	tolerance = 5
	// some is the share of the calls that have to have a caller, for the run to have callers at all. all is the share
	// that is next to all calls of a run.
	some, all = 0.01, 0.99
)

// Columns of the table. Those of shares are medians over the runs.
const (
	columnRuns   = "runs"
	columnNone   = "no callers"      // runs in which next to no call has its caller
	columnAll    = "all have theirs" // runs in which next to all have
	columnRight  = "within 5 points" // runs in which the shares of callers are right, too
	columnKnown  = "calls with caller, %"
	columnPoints = "worst, points"
	columnCalls  = "calls/truth"
)

// An Experiment is eval callers.
type Experiment struct {
	lab.Flags
	runs     int
	seconds  float64
	backends string
}

// Declare declares the flags.
func (x *Experiment) Declare(fs *flag.FlagSet) {
	x.AddRun(fs)
	x.AddDir(fs)
	x.AddProgram(fs)
	fs.IntVar(&x.runs, "runs", 10, "runs of each program")
	fs.Float64Var(&x.seconds, "seconds", 2, "about how long a run is")
	fs.StringVar(&x.backends, "backends", "native", "kinds of probes, a `LIST` separated by commas: native, portable")
}

// Check reports flags that make no sense.
func (x *Experiment) Check() error {
	if x.runs < 1 || x.seconds <= 0 {
		return errors.New("-runs and -seconds must be more than 0")
	}
	for _, b := range x.selected() {
		if b != "native" && b != "portable" {
			return fmt.Errorf("no backend %q", b)
		}
	}
	return nil
}

func (x *Experiment) selected() []string { return strings.Split(x.backends, ",") }

// Run adds what is measured to the report.
func (x *Experiment) Run(r *result.Report) error {
	w, err := x.Workshop(nil)
	if err != nil {
		return err
	}
	defer w.Close()
	table := &result.Measure{
		Title: fmt.Sprintf("Calls with their callers, runs of %v s; medians", x.seconds),
		Columns: []string{columnRuns, columnNone, columnAll, columnRight, columnKnown, columnPoints,
			columnCalls}, Absolute: true,
	}
	r.Measures = append(r.Measures, table)
	right, runs := 0, 0
	for _, backend := range x.selected() {
		for i := range programs {
			p := &programs[i]
			if !x.Match.MatchString(backend + " " + p.name()) {
				continue
			}
			fmt.Fprintf(os.Stderr, "%s: %s\n", backend, p.name())
			row := result.NewRow(backend, p.name())
			table.Rows = append(table.Rows, row)
			t, err := x.measure(w, fmt.Sprintf("callers%d", i), backend, p)
			if err != nil {
				row.Add(columnRuns, 0, err)
			} else {
				t.fill(row)
			}
			right, runs = right+t.right, runs+x.runs
			if err := r.Save(); err != nil {
				return err
			}
		}
	}
	if runs == 0 {
		return x.Nothing()
	}
	verdict := "callers: %d of %d runs have all calls with their caller, and its share within %d points"
	r.Notes = append(r.Notes, fmt.Sprintf(verdict, right, runs, tolerance))
	return nil
}

// measure builds a program and runs it over and over.
func (x *Experiment) measure(w *lab.Workshop, name, backend string, p *program) (t tally, err error) {
	built, err := w.NewProgram(name)
	if err != nil {
		return t, err
	}
	defer os.RemoveAll(built.Dir)
	if err := p.write(built); err != nil {
		return t, err
	}
	mode := &lab.Mode{Name: backend, Wrap: []string{"-mode=sampled", "-backend=" + backend}}
	if err := built.Build(w, mode); err != nil {
		return t, err
	}
	truth := p.perTurn(x.seconds)
	var args []string
	for _, n := range truth {
		args = append(args, strconv.Itoa(n))
	}
	for range x.runs {
		prof, err := built.Profile(mode, args...)
		if err != nil {
			return t, err
		}
		found, err := callsOf(prof, "work", len(truth))
		if err != nil {
			return t, err
		}
		t.add(found, truth, p.turns)
	}
	return t, nil
}

// found is what a profile says of the calls of a function.
type found struct {
	calls    float64   // in all
	byCaller []float64 // those with a caller, in the order of callers
}

// callsOf returns what a profile says of the calls of a function by callers named caller0 and so on.
func callsOf(p *profile.Profile, name string, callers int) (found, error) {
	for _, f := range p.Functions() {
		if !strings.HasSuffix(f.Table.Name, "."+name) {
			continue
		}
		result := found{float64(f.Entries), make([]float64, callers)}
		for _, c := range f.Calls {
			stack := c.Context.Stack()
			if len(stack) < 2 {
				continue
			}
			_, number, ok := strings.Cut(stack[1].Name, ".caller")
			if i, err := strconv.Atoi(number); ok && err == nil && i < callers {
				result.byCaller[i] += float64(c.Count)
			}
		}
		return result, nil
	}
	return found{}, fmt.Errorf("no function %s in the profile", name)
}

// A tally has what came of the runs of a program.
type tally struct {
	none, all, right     int // runs
	known, points, calls []float64
}

// add adds a run, in which each caller did so many calls in each turn.
func (t *tally) add(f found, perTurn []int, turns int) {
	truth, withCaller := 0.0, 0.0
	for i, n := range perTurn {
		truth += float64(n)
		withCaller += f.byCaller[i]
	}
	known, worst := 0.0, 100.0
	if f.calls > 0 {
		known = withCaller / f.calls
	}
	if withCaller > 0 {
		worst = 0
		for i, n := range perTurn {
			worst = max(worst, 100*math.Abs(f.byCaller[i]/withCaller-float64(n)/truth))
		}
	}
	if known < some {
		t.none++
	}
	if known >= all {
		t.all++
		if worst <= tolerance {
			t.right++
		}
	}
	t.known = append(t.known, 100*known)
	t.points = append(t.points, worst)
	t.calls = append(t.calls, f.calls/(truth*float64(turns)))
}

// fill adds the tally to a row.
func (t *tally) fill(r *result.Row) {
	median := func(values []float64) float64 { return result.Share(values).Value }
	for _, c := range []struct {
		column string
		value  float64
	}{
		{columnRuns, float64(len(t.calls))}, {columnNone, float64(t.none)}, {columnAll, float64(t.all)},
		{columnRight, float64(t.right)}, {columnKnown, median(t.known)}, {columnPoints, median(t.points)},
		{columnCalls, median(t.calls)},
	} {
		r.Add(c.column, c.value, nil)
	}
}
