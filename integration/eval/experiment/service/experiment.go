package service

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// An Experiment is eval service.
type Experiment struct {
	lab.Flags
	seconds  float64
	backends string
	load     int
}

// Declare declares the flags.
func (x *Experiment) Declare(fs *flag.FlagSet) {
	x.AddDir(fs)
	x.AddProgram(fs)
	fs.Float64Var(&x.seconds, "seconds", 60, "how long requests are sent in each mode")
	fs.StringVar(&x.backends, "backends", "native,portable", "kinds of probes of the sampled services, a `LIST` "+
		"separated by commas: native, portable")
	fs.IntVar(&x.load, "load", 0, "busy loops that run beside the sampled services")
}

// Check reports flags that make no sense.
func (x *Experiment) Check() error {
	if x.seconds <= 0 || x.load < 0 {
		return errors.New("-seconds must be more than 0, -load not less")
	}
	for b := range strings.SplitSeq(x.backends, ",") {
		if b != "native" && b != "portable" {
			return fmt.Errorf("no backend %q", b)
		}
	}
	return nil
}

// modes returns how the service is built: exactly, with counts that threads do not take from each other, and sampled.
func (x *Experiment) modes() []lab.Mode {
	modes := []lab.Mode{{Name: lab.Exact, Wrap: []string{"-mode=exact", "-atomic"}}}
	for b := range strings.SplitSeq(x.backends, ",") {
		modes = append(modes, lab.Mode{Name: b, Wrap: []string{"-mode=sampled", "-backend=" + b}})
	}
	return modes
}

// Run adds what is measured to the report.
func (x *Experiment) Run(r *result.Report) error {
	w, err := x.Workshop(nil)
	if err != nil {
		return err
	}
	defer w.Close()
	p, err := newService(w)
	if err != nil {
		return err
	}
	var exact *run
	t := newTables(r, x.seconds, x.load)
	for _, m := range x.modes() {
		fmt.Fprintln(os.Stderr, m.Name)
		if err := p.Build(w, &m); err != nil {
			return err
		}
		ran, err := x.serve(p, &m)
		if err != nil {
			return err
		}
		if exact == nil {
			if exact = ran; ran.profile.Check() != nil {
				return fmt.Errorf("the exact profile is not exact: %w", ran.profile.Check())
			}
		}
		if err := t.add(m.Name, ran, exact); err != nil {
			return err
		}
		if err := r.Save(); err != nil {
			return err
		}
	}
	return nil
}

// serve runs the service of a mode; sampled ones beside the load.
func (x *Experiment) serve(p *lab.Program, m *lab.Mode) (*run, error) {
	loops := x.load
	if m.Name == lab.Exact {
		loops = 0
	}
	stop, err := lab.Load(loops)
	if err != nil {
		return nil, err
	}
	defer stop()
	return serve(p, m, x.seconds)
}
