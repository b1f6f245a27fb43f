package auditbase

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/export/verdict"
	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// Equal audits versions that take the same time, without copies and with them: eval audit-equal. The versions are what equal
// commits have at the base and at the head, declared as a function and its variant.
type Equal struct {
	lab.Flags
	copies string
	time   time.Duration
}

// Declare declares the flags.
func (x *Equal) Declare(fs *flag.FlagSet) {
	x.AddRun(fs)
	x.AddDir(fs)
	x.AddProgram(fs)
	fs.StringVar(&x.copies, "copies", "1,6", "`NUMBERS` of copies of each version, separated by commas")
	fs.DurationVar(&x.time, "time", 2*time.Second, "how long the benchmark of an audit runs")
}

// Check reports flags that make no sense.
func (x *Equal) Check() error {
	if x.time <= 0 {
		return errors.New("-time must be more than 0")
	}
	for n := range strings.SplitSeq(x.copies, ",") {
		if _, err := strconv.Atoi(n); err != nil {
			return fmt.Errorf("-copies %s: want numbers, separated by commas", x.copies)
		}
	}
	return nil
}

// Run adds what is measured to the report.
func (x *Equal) Run(r *result.Report) error {
	if !slices.ContainsFunc(equalCommits(), func(c commit) bool { return x.Match.MatchString(c.name) }) {
		return x.Nothing()
	}
	w, err := x.Workshop(nil)
	if err != nil {
		return err
	}
	defer w.Close()
	m, err := newRepository(w)
	if err != nil {
		return err
	}
	for n := range strings.SplitSeq(x.copies, ",") {
		table := &result.Measure{
			Title: fmt.Sprintf("versions that take the same time, -copies %s", n), Unit: "as the columns say", Absolute: true,
			Columns: []string{columnFound, columnLow, columnHigh, columnWrong, columnOpen, columnPlaced, columnSeconds},
		}
		r.Measures = append(r.Measures, table)
		for i, c := range equalCommits() {
			if x.Match.MatchString(c.name) {
				row := result.NewRow(c.of.name, fmt.Sprintf("%s (%d)", c.name, i))
				table.Rows = append(table.Rows, row)
				if err := x.audit(m, &c, n, row); err != nil {
					row.Add(columnWrong, 0, err)
				}
			}
		}
	}
	return nil
}

// variant is what the second version is called.
const variant = "evalVariant"

// withVariant returns a source in which the function of an equal commit is as at the base, with a variant as at the head.
func withVariant(source string, c *commit) (string, error) {
	base, err := c.of.edit(source, c.base)
	if err != nil {
		return "", err
	}
	head, err := c.of.edit(source, c.head)
	if err != nil {
		return "", err
	}
	_, behind, _ := strings.Cut(head, c.of.begins)
	body, _, found := strings.Cut(behind, "\n}\n")
	if !found {
		return "", fmt.Errorf("gjson.go: %s has no end", c.of.name)
	}
	_, name, method := strings.Cut(c.of.name, ".")
	if !method {
		name = c.of.name
	}
	begins := strings.Replace(c.of.begins, " "+name+"(", " "+variant+"(", 1)
	return fmt.Sprintf("%s\n//goprofinstr:variant of=%s\n%s%s\n}\n", base, c.of.name, begins, body), nil
}

// audit audits the two versions.
func (x *Equal) audit(r *repository, c *commit, copies string, row *result.Row) error {
	text, err := withVariant(r.source, c)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.dir, "gjson.go"), []byte(text), 0o666); err != nil {
		return err
	}
	out := filepath.Join(r.Scratch, "out")
	defer os.RemoveAll(out)
	cmd := exec.Command(r.Goprofinstr, "audit", "-copies", copies, "-format", "none", "-o", out,
		"go", "test", "-run=^$", "-bench=Eval", "-benchtime="+x.time.String(), ".")
	cmd.Dir, cmd.Env = r.dir, append(os.Environ(), "GOWORK=off", "EVAL_FUNCTION="+c.of.name)
	began := time.Now()
	said, err := cmd.CombinedOutput()
	row.Add(columnSeconds, time.Since(began).Seconds(), nil)
	if err != nil {
		return fmt.Errorf("%v\n%s", err, lab.LastLines(said))
	}
	found, err := read(out)
	if err != nil {
		return err
	}
	for _, f := range found.Functions {
		if strings.HasSuffix(f.Name, "."+c.of.name) && len(f.Pairs) > 0 {
			p := f.Pairs[0]
			row.Add(columnFound, 100*p.Effect, nil)
			row.Add(columnLow, 100*p.Low, nil)
			row.Add(columnHigh, 100*p.High, nil)
			row.Add(columnWrong, map[bool]float64{true: 1}[f.Outcome == verdict.Faster], nil)
			row.Add(columnOpen, map[bool]float64{true: 1}[f.Outcome == verdict.Undecided], nil)
			row.Add(columnPlaced, map[bool]float64{true: 1}[f.Outcome == verdict.Placed], nil)
			return nil
		}
	}
	return fmt.Errorf("no audit of %s\n%s", c.of.name, lab.LastLines(said))
}
