package pgoservice

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
)

// What the service is built with. The first two are those of all experiments; others have a profile.
const (
	plain     = lab.Plain
	again     = "A/A"
	cpu       = "cpu"        // a CPU profile, as net/http/pprof serves
	counts    = "counts"     // calls of a sampled run
	countsCPU = "counts+cpu" // with what is in the CPU profile only
	contexts  = "contexts"   // with what is on the stacks of the same run only
	allModes  = cpu + "," + counts + "," + countsCPU + "," + contexts
)

// recorded is how the service is built to be recorded, as it may run in production.
var recorded = lab.Mode{Name: "sampled", Wrap: []string{"-mode=sampled"}}

// recordings are what was recorded of the service at work.
type recordings struct {
	cpu      string // a CPU profile
	contexts string // a profile directory
	counts   string // an archive of the same: it has no calling contexts
}

// record has the service answer n requests of each kind twice: once for a CPU profile, and once instrumented.
func (x *Experiment) record(ctx context.Context, w *lab.Workshop, p *lab.Program, l *load) (*recordings, error) {
	r := &recordings{cpu: filepath.Join(w.Scratch, "cpu.pprof"), counts: filepath.Join(w.Scratch, "archive")}
	dir, err := x.run(ctx, p, l, lab.FindMode(plain), r.cpu)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := p.Build(w, &recorded); err != nil {
		return nil, err
	}
	if r.contexts, err = x.run(ctx, p, l, &recorded); err != nil {
		return nil, err
	}
	return r, lab.GoCommand(p.Dir, w.Goprofinstr, "archive", "add", "-o", r.counts, r.contexts)
}

// run has the service of a mode answer the requests that are recorded, and returns the folder of its run data.
func (x *Experiment) run(ctx context.Context, p *lab.Program, l *load, m *lab.Mode, args ...string) (dir string, err error) {
	cmd, dir, err := p.Command(ctx, m, args...)
	if err != nil {
		return "", err
	}
	s, err := open(x.withProcs(cmd), l)
	if err != nil {
		return "", err
	}
	_, err = l.send(ctx, s.address, connections, mixed(x.profiled))
	return dir, s.close(err)
}

func (x *Experiment) withProcs(cmd *exec.Cmd) *exec.Cmd {
	cmd.Env = append(cmd.Env, fmt.Sprintf("GOMAXPROCS=%d", x.procs))
	return cmd
}

// flags returns the flags of go build that have all packages compiled with a profile, or in a hurry only two.
func (x *Experiment) flags(profile string) []string {
	if !x.quick {
		return []string{"-pgo=" + profile}
	}
	return []string{"-gcflags=example.com/shop=-pgoprofile=" + profile, "-gcflags=encoding/json=-pgoprofile=" + profile}
}

// profile makes the profile of a mode for the compiler, and returns its name, and what goprofinstr says about it.
func (r *recordings) profile(w *lab.Workshop, dir, mode string) (name, about string, err error) {
	name = filepath.Join(w.Scratch, lab.Flat(mode)+".pgo")
	args := map[string][]string{
		counts: {r.counts}, countsCPU: {"-cpu", r.cpu, r.contexts}, contexts: {r.contexts},
	}[mode]
	if args == nil {
		return r.cpu, "as runtime/pprof writes it", nil
	}
	cmd := exec.Command(w.Goprofinstr, append([]string{"pgo", "-o", name}, args...)...)
	var errs bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &errs
	if err := cmd.Run(); err != nil {
		return "", "", fmt.Errorf("%s: %v\n%s", mode, err, lab.LastLines(errs.Bytes()))
	}
	lines := strings.Split(strings.TrimSpace(errs.String()), "\n")
	return name, strings.TrimSpace(lines[len(lines)-1]), nil
}
