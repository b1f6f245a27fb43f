package selecting

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// An Experiment selects tests for the commits of histories: eval select.
type Experiment struct {
	lab.Flags
	commits      int
	repositories string
	once         bool
}

// Declare declares the flags.
func (x *Experiment) Declare(fs *flag.FlagSet) {
	x.AddDir(fs)
	x.AddProgram(fs)
	fs.IntVar(&x.commits, "n", 30, "how many commits of each, from the newest on")
	fs.StringVar(&x.repositories, "repositories", "", "`LIST` of git repositories, separated by commas: what git clone takes")
	fs.BoolVar(&x.once, "once", false, "profile the parents of commits only")
}

// Check reports flags that make no sense.
func (x *Experiment) Check() error {
	switch {
	case x.commits < 1:
		return errors.New("-n must be more than 0")
	case x.repositories == "":
		return errors.New("-repositories: which histories?")
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
	t := newTables(r)
	for _, repository := range strings.Split(x.repositories, ",") {
		h, err := clone(w, repository)
		if err != nil {
			return err
		}
		commits, err := h.commits(x.commits)
		if err != nil {
			return err
		}
		total := new(outcome)
		for _, c := range commits {
			o, err := h.measure(c, !x.once)
			if err != nil {
				fmt.Fprintf(os.Stderr, "%s %.12s: %v\n", h.name, c, err)
				if o == nil {
					total.skipped++
					continue
				}
			}
			fmt.Fprintf(os.Stderr, "%s %.12s: %d of %d tests selected, alone %.3f of %.3f s, go test %.3f of %.3f s, "+
				"%d have another result, missed %q, late %q\n", h.name, c, o.selected, o.tests,
				o.aloneSelected, o.alone, o.goSelected, o.goAll, o.changed, o.missed, o.late)
			total.add(o)
		}
		t.add(h.name, total)
		if err := r.Save(); err != nil {
			return err
		}
	}
	return nil
}

// tables are those of the report.
type tables struct{ counts, shares *result.Measure }

func newTables(r *result.Report) *tables {
	t := &tables{
		counts: &result.Measure{Title: "Tests of all commits: selected, with another result, and missed",
			Unit: "number", Absolute: true, Columns: []string{"commits", "left out", "tests", "selected", "other result", "missed", "late"}},
		shares: &result.Measure{Title: "Share of test time that is saved: of processes of a test each, and of go test",
			Unit: "share", Absolute: true, Columns: []string{"alone", "go test"}},
	}
	r.Measures = append(r.Measures, t.counts, t.shares)
	return t
}

// add adds the rows of a history.
func (t *tables) add(name string, o *outcome) {
	counts, shares := result.NewRow("", name), result.NewRow("", name)
	t.counts.Rows, t.shares.Rows = append(t.counts.Rows, counts), append(t.shares.Rows, shares)
	for column, n := range map[string]int{
		"commits": o.commits, "left out": o.skipped, "tests": o.tests, "selected": o.selected,
		"other result": o.changed, "late": len(o.late),
	} {
		counts.Add(column, float64(n), nil)
	}
	var err error
	if len(o.missed) > 0 {
		err = fmt.Errorf("missed: %s", strings.Join(o.missed, ", "))
	}
	counts.Add("missed", 0, err)
	if o.alone > 0 {
		shares.Add("alone", 1-o.aloneSelected/o.alone, nil)
	}
	if o.goAll > 0 {
		shares.Add("go test", 1-o.goSelected/o.goAll, nil)
	}
}

// nameOf returns what a repository is called in tables.
func nameOf(repository string) string {
	base := filepath.Base(strings.TrimSuffix(strings.TrimSuffix(repository, "/"), ".git"))
	if base == "repo" || base == "." {
		base = filepath.Base(filepath.Dir(repository))
	}
	return base
}
