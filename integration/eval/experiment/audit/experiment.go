// Package audit audits functions whose truth is known:
//
//	pairs.go        how often audits of pairs are right (eval audit), with the program in testdata/audit
//	accuracy.go     whether loop timings and timings of calls tell the same (eval audit-accuracy), on
//	                testdata/calibrated and testdata/loopy
//	convergence.go  how much sooner loop timings tell it (eval audit-convergence), on testdata/loopy
//	loops.go        recordings of both kinds of timings
package audit

import (
	"errors"
	"flag"
	"os"
	"path/filepath"

	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// An Experiment asks how often audits of pairs whose difference is known are right: eval audit. Decisions are simulated
// from recorded timings, and others are live.
type Experiment struct {
	lab.Flags
	decisions, audits int
}

// Declare declares the flags.
func (x *Experiment) Declare(fs *flag.FlagSet) {
	x.AddRun(fs)
	x.AddDir(fs)
	x.AddProgram(fs)
	fs.IntVar(&x.decisions, "decisions", 10_000, "decisions to simulate of each pair")
	fs.IntVar(&x.audits, "audits", 40, "live audits")
}

// Check reports flags that make no sense.
func (x *Experiment) Check() error {
	if x.decisions < 0 || x.audits < 0 {
		return errors.New("negative -decisions or -audits")
	}
	return nil
}

// Run adds what is measured to the report.
func (x *Experiment) Run(r *result.Report) error {
	w, err := x.Workshop(nil)
	if err != nil {
		return err
	}
	defer w.Close()
	if err := lab.WriteGoMod(w.Scratch, "main"); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(w.Scratch, "main.go"), pairProgram, 0o666); err != nil {
		return err
	}
	p := &pairAudit{w, &result.Measure{Title: "audits of pairs of which B takes so much longer",
		Unit: "as the columns say", Absolute: true,
		Columns: []string{columnA, columnB, columnSame, columnOpen, columnTimings}}}
	if err := p.simulateAudits(x.Match, x.decisions); err != nil {
		return err
	}
	if err := p.liveAudits(x.Match, x.audits); err != nil {
		return err
	}
	if len(p.table.Rows) == 0 {
		return x.Nothing()
	}
	r.Measures = append(r.Measures, p.table)
	return nil
}

// recordings are the flags of the experiments that record the timings of loops.
type recordings struct {
	lab.Flags
	seconds float64
}

// Declare declares the flags.
func (x *recordings) Declare(fs *flag.FlagSet) {
	x.AddDir(fs)
	x.AddProgram(fs)
	fs.Float64Var(&x.seconds, "seconds", 10, "how long each function runs")
}

// Check reports flags that make no sense.
func (x *recordings) Check() error {
	if x.seconds <= 0 {
		return errors.New("-seconds must be more than 0")
	}
	return nil
}
