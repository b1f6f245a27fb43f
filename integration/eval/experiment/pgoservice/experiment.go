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
	callgrind, quick                  bool
}

// Declare declares the flags.
func (x *Experiment) Declare(fs *flag.FlagSet) {
	x.AddDir(fs)
	x.AddProgram(fs)
	fs.StringVar(&x.modes, "modes", allModes, "what the service is built with, a `LIST` separated by commas")
	fs.IntVar(&x.rounds, "n", 20, "rounds; 0 measures no times")
	fs.IntVar(&x.requests, "requests", 3000, "requests of each kind that a build serves in a round")
	fs.IntVar(&x.profiled, "profiled", 20_000, "requests of each kind that profiles are of")
	fs.IntVar(&x.procs, "procs", 1, "GOMAXPROCS of the service")
	fs.BoolVar(&x.callgrind, "callgrind", false, "count instructions, too, if valgrind is installed")
	fs.BoolVar(&x.quick, "quick", false, "-n 2 -requests 100 -profiled 1000, and only the service and encoding/json "+
		"are compiled with profiles: whether all of it works")
}

// Check reports flags that make no sense.
func (x *Experiment) Check() error {
	if x.rounds < 0 || x.requests < 1 || x.profiled < 1 || x.procs < 1 {
		return errors.New("-requests, -profiled and -procs must be at least 1, and -n not less than 0")
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
	if err := lab.HaveCallgrind(); x.callgrind && err != nil {
		r.Notes = append(r.Notes, err.Error())
		x.callgrind = false
	}
	return x.measure(ctx, r, p, l, modes)
}

// measure measures all modes: first the instructions, and then the times, in turn.
func (x *Experiment) measure(ctx context.Context, r *result.Report, p *lab.Program, l *load, modes []string) error {
	t := x.newTables(r, modes)
	for _, mode := range modes {
		if t.instructions == nil {
			break
		}
		fmt.Fprintln(os.Stderr, mode+", instructions")
		if err := x.count(ctx, p, l, mode, t); err != nil {
			return err
		}
	}
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
	return r.Save()
}

// build builds the service in all modes, each of which is its own binary but A/A, and returns their names.
func (x *Experiment) build(ctx context.Context, r *result.Report, w *lab.Workshop, p *lab.Program, l *load) (
	modes []string, err error) {
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

// binaryOf returns the mode whose binary a mode runs.
func binaryOf(mode string) *lab.Mode {
	if mode == again {
		mode = plain
	}
	return &lab.Mode{Name: mode}
}

// warmUp is how many requests of each kind are served before those that are measured.
const warmUp = bodies

// serve has a new process of a mode serve the requests of each kind, and adds what they have taken to the tables.
func (x *Experiment) serve(ctx context.Context, p *lab.Program, l *load, mode string, t *tables) error {
	cmd, dir, err := p.Command(ctx, binaryOf(mode))
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := open(x.withProcs(cmd), l)
	if err != nil {
		return err
	}
	if _, err := l.send(ctx, s.address, connections, mixed(warmUp)); err != nil {
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
