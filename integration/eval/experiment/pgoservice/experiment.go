package pgoservice

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// An Experiment is eval pgo-service.
type Experiment struct {
	lab.Flags
	modes                             string
	rounds, requests, profiled, procs int
	quick                             bool
}

// Declare declares the flags.
func (x *Experiment) Declare(fs *flag.FlagSet) {
	x.AddDir(fs)
	x.AddProgram(fs)
	fs.StringVar(&x.modes, "modes", allModes, "what the service is built with, a `LIST` separated by commas")
	fs.IntVar(&x.rounds, "n", 20, "rounds")
	fs.IntVar(&x.requests, "requests", 3000, "requests of each kind that a build serves in a round")
	fs.IntVar(&x.profiled, "profiled", 20_000, "requests of each kind that profiles are of")
	fs.IntVar(&x.procs, "procs", 1, "GOMAXPROCS of the service")
	fs.BoolVar(&x.quick, "quick", false, "-n 2 -requests 100 -profiled 1000, and only the service and encoding/json "+
		"are compiled with profiles: whether all of it works")
}

// Check reports flags that make no sense.
func (x *Experiment) Check() error {
	if x.rounds < 1 || x.requests < 1 || x.profiled < 1 || x.procs < 1 {
		return errors.New("-n, -requests, -profiled and -procs must be at least 1")
	}
	for name := range strings.SplitSeq(x.modes, ",") {
		if !slices.Contains(strings.Split(allModes, ","), name) {
			return fmt.Errorf("no mode %q; there are %s", name, strings.ReplaceAll(allModes, ",", ", "))
		}
	}
	return nil
}

// Run adds what is measured to the report.
func (x *Experiment) Run(r *result.Report) error {
	if x.quick {
		x.rounds, x.requests, x.profiled = 2, 100, 1000
	}
	ctx, cancel := context.WithTimeout(context.Background(), 24*time.Hour)
	defer cancel()
	w, err := x.Workshop(nil)
	if err != nil {
		return err
	}
	defer w.Close()
	p, err := newProgram(w)
	if err != nil {
		return err
	}
	l := newLoad()
	modes, err := x.build(ctx, r, w, p, l)
	if err != nil {
		return err
	}
	t := newTables(r, x.procs, modes)
	for round := range x.rounds {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, x.rounds)
		for i := range modes {
			// Begin with another one each time: whoever runs after the slowest always runs there otherwise.
			if err := x.serve(ctx, p, l, modes[(round+i)%len(modes)], t); err != nil {
				return err
			}
		}
		if err := r.Save(); err != nil {
			return err
		}
	}
	return nil
}

// build builds the service in all modes, each of which is its own binary but A/A, and returns their names.
func (x *Experiment) build(ctx context.Context, r *result.Report, w *lab.Workshop, p *lab.Program, l *load) (modes []string, err error) {
	fmt.Fprintln(os.Stderr, "profiles")
	if err := p.Build(w, lab.FindMode(plain)); err != nil {
		return nil, err
	}
	recorded, err := x.record(ctx, w, p, l)
	if err != nil {
		return nil, err
	}
	modes = []string{plain, again}
	for name := range strings.SplitSeq(x.modes, ",") {
		fmt.Fprintln(os.Stderr, name)
		file, about, err := recorded.profile(w, p.Dir, name)
		if err != nil {
			return nil, err
		}
		if err := p.Build(w, &lab.Mode{Name: name}, x.flags(file)...); err != nil {
			return nil, err
		}
		r.Notes = append(r.Notes, name+": "+about)
		modes = append(modes, name)
	}
	return modes, nil
}

// warmUp is how many requests of each kind are served before those that are measured.
const warmUp = bodies

// serve has a new process of a mode serve the requests of each kind, and adds what they have taken to the tables.
func (x *Experiment) serve(ctx context.Context, p *lab.Program, l *load, mode string, t *tables) error {
	built := mode
	if mode == again {
		built = plain
	}
	cmd, dir, err := p.Command(ctx, &lab.Mode{Name: built})
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := open(x.withProcs(cmd), l)
	if err != nil {
		return err
	}
	if _, err := l.send(ctx, s.address, mixed(warmUp)); err != nil {
		return s.close(err)
	}
	for kind := range kinds {
		c, err := s.serve(ctx, ofKind(kind, x.requests))
		if err != nil {
			return s.close(err)
		}
		t.add(kind, mode, c)
	}
	return s.close(nil)
}

// tables have a row for each kind of requests.
type tables struct{ cpu, time *result.Measure }

func newTables(r *result.Report, procs int, modes []string) *tables {
	add := func(title string) *result.Measure {
		m := &result.Measure{Title: title, Unit: "ns", Columns: modes}
		for _, k := range kinds {
			m.Rows = append(m.Rows, result.NewRow("service", k.name))
		}
		r.Measures = append(r.Measures, m)
		return m
	}
	return &tables{
		add(fmt.Sprintf("CPU time of the service for a request, with GOMAXPROCS=%d: ratio of the least times, 95%% interval", procs)),
		add(fmt.Sprintf("Time of a request, of %d at a time: ratio of the least times, 95%% interval", connections)),
	}
}

func (t *tables) add(kind int, mode string, c cost) {
	t.cpu.Rows[kind].Add(mode, c.cpu, nil)
	t.time.Rows[kind].Add(mode, c.time, nil)
}
