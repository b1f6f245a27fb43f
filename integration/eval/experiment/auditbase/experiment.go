package auditbase

import (
	"bufio"
	"bytes"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/export/audit"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
	"github.com/goprofinstr/goprofinstr/integration/internal/fetch"
)

var (
	//go:embed testdata/spin.go.txt
	spin []byte
	//go:embed testdata/bench_test.go.txt
	benchmarks []byte
)

const (
	module  = "github.com/tidwall/gjson"
	version = "v1.20.0"
)

// An Experiment audits commits: eval audit-base.
type Experiment struct {
	lab.Flags
	loads  string
	limit  string
	time   time.Duration
	rounds int
}

// Declare declares the flags.
func (x *Experiment) Declare(fs *flag.FlagSet) {
	x.AddRun(fs)
	x.AddDir(fs)
	x.AddProgram(fs)
	fs.StringVar(&x.loads, "loads", "0,8", "`NUMBERS` of busy loops beside the audits, separated by commas")
	fs.StringVar(&x.limit, "limit", "2%", "`PCT` of -fail-if-slower")
	fs.DurationVar(&x.time, "time", 4*time.Second, "how long the benchmark of a commit runs")
	fs.IntVar(&x.rounds, "rounds", 1, "how often the equal commits are audited for each time that the known ones are")
}

// Check reports flags that make no sense.
func (x *Experiment) Check() error {
	if x.time <= 0 || x.rounds < 1 {
		return errors.New("-time and -rounds must be more than 0")
	}
	_, err := x.loops()
	return err
}

func (x *Experiment) loops() (list []int, err error) {
	for text := range strings.SplitSeq(x.loads, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("-loads %s: want numbers of loops, separated by commas", x.loads)
		}
		list = append(list, n)
	}
	return list, nil
}

// Columns of the tables.
const (
	columnKnown   = "known, %"
	columnFound   = "found, %"
	columnLow     = "from, %"
	columnHigh    = "to, %"
	columnRight   = "right"
	columnWrong   = "wrong"
	columnOpen    = "open"
	columnPlaced  = "placed" // no difference beyond placement: of an equal commit it is right, too
	columnFailed  = "gate fails"
	columnSeconds = "s"
)

// Run adds what is measured to the report.
func (x *Experiment) Run(r *result.Report) error {
	w, err := x.Workshop(nil)
	if err != nil {
		return err
	}
	defer w.Close()
	m, err := newRepository(w)
	if err != nil {
		return err
	}
	least, err := m.calibrate()
	if err != nil {
		return err
	}
	known, err := knownCommits(least)
	if err != nil {
		return err
	}
	loops, err := x.loops()
	if err != nil {
		return err
	}
	equal := equalCommits()
	for range x.rounds - 1 {
		equal = append(equal, equalCommits()...)
	}
	named := func(c commit) bool { return x.Match.MatchString(c.name) }
	if !slices.ContainsFunc(known, named) && !slices.ContainsFunc(equal, named) {
		return x.Nothing()
	}
	for _, n := range loops {
		stop, err := lab.Load(n)
		if err != nil {
			return err
		}
		for _, list := range []struct {
			name    string
			commits []commit
		}{{"known commits", known}, {"equal commits", equal}} {
			table := &result.Measure{
				Title: fmt.Sprintf("%s beside %d busy loops, -fail-if-slower %s", list.name, n, x.limit), Unit: "as the columns say",
				Absolute: true,
				Columns: []string{
					columnKnown, columnFound, columnLow, columnHigh, columnRight, columnWrong, columnOpen, columnPlaced, columnFailed,
					columnSeconds,
				},
			}
			for i := range list.commits {
				if c := &list.commits[i]; x.Match.MatchString(c.name) {
					row := result.NewRow(c.of.name, fmt.Sprintf("%s (%d)", c.name, i))
					x.audit(m, c, row)
					table.Rows = append(table.Rows, row)
				}
			}
			r.Measures = append(r.Measures, table)
		}
		stop()
	}
	return nil
}

// A repository is that of the module.
type repository struct {
	*lab.Workshop
	dir    string
	source string // of gjson.go
}

func newRepository(w *lab.Workshop) (*repository, error) {
	r := &repository{Workshop: w, dir: filepath.Join(w.Scratch, "gjson")}
	if err := fetch.Module(r.dir, module, version); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(r.dir, "gjson.go"))
	if err != nil {
		return nil, err
	}
	r.source = string(data)
	for name, text := range map[string][]byte{"evalspin.go": spin, "eval_test.go": benchmarks} {
		if err := os.WriteFile(filepath.Join(r.dir, name), text, 0o666); err != nil {
			return nil, err
		}
	}
	if err := os.Remove(filepath.Join(r.dir, "gjson_test.go")); err != nil { // which takes long to compile
		return nil, err
	}
	return r, r.git("init", "-q")
}

func (r *repository) git(args ...string) error {
	return lab.GoCommand(r.dir, append([]string{"git", "-c", "user.name=eval", "-c", "user.email=eval@example.com", "-c", "core.hooksPath=" + os.DevNull}, args...)...)
}

var leastLine = regexp.MustCompile(`^least\t(.*)\t(.*)$`)

// calibrate returns the least times of the functions and of chains, in ns.
func (r *repository) calibrate() (map[string]float64, error) {
	cmd := exec.Command("go", "test", "-run", "TestCalibrate", "-count=1", "-v", ".")
	cmd.Dir = r.dir
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("calibration: %v\n%s", err, lab.LastLines(out))
	}
	least := make(map[string]float64)
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		if m := leastLine.FindStringSubmatch(lines.Text()); m != nil {
			if least[m[1]], err = strconv.ParseFloat(m[2], 64); err != nil {
				return nil, err
			}
		}
	}
	return least, nil
}

// lay commits the base and the head of a commit, on branches of these names.
func (r *repository) lay(c *commit) error {
	for _, side := range [][2]string{{"base", c.base}, {"head", c.head}} {
		if err := r.write(c, side[1]); err != nil {
			return err
		}
		for _, args := range [][]string{{"checkout", "-q", "-B", side[0]}, {"add", "-A"}, {"commit", "-q", "--allow-empty", "-m", side[0]}} {
			if err := r.git(args...); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *repository) write(c *commit, begin string) error {
	text, err := c.of.edit(r.source, begin)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.dir, "gjson.go"), []byte(text), 0o666)
}

// audit audits one commit.
func (x *Experiment) audit(r *repository, c *commit, row *result.Row) {
	row.Add(columnKnown, c.known, nil)
	if err := r.lay(c); err != nil {
		row.Add(columnRight, 0, err)
		return
	}
	out := filepath.Join(r.Scratch, "out")
	defer os.RemoveAll(out)
	cmd := exec.Command(r.Goprofinstr, "audit", "-base", "base", "-fail-if-slower", x.limit, "-format", "none", "-o", out,
		"go", "test", "-run=^$", "-bench=Eval", "-benchtime="+x.time.String(), ".")
	cmd.Dir, cmd.Env = r.dir, append(os.Environ(), "GOWORK=off", "EVAL_FUNCTION="+c.of.name)
	began := time.Now()
	said, err := cmd.CombinedOutput()
	row.Add(columnSeconds, time.Since(began).Seconds(), nil)
	found, reading := read(out)
	if reading != nil {
		row.Add(columnRight, 0, fmt.Errorf("%v, %v\n%s", err, reading, lab.LastLines(said)))
		return
	}
	x.judge(c, found, row)
}

func read(out string) (*audit.Report, error) {
	f, err := os.Open(filepath.Join(out, profiledir.Audit("json")))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return audit.ReadJSON(f)
}

// judge compares what was found with what is known. A change of which nothing was run is none.
func (x *Experiment) judge(c *commit, found *audit.Report, row *result.Row) {
	right, wrong, open := 0.0, 0.0, 0.0
	outcome, change := audit.NoDifference, new(audit.Change)
	for _, f := range found.Functions {
		if strings.HasSuffix(f.Name, "."+c.of.name) {
			outcome, change = f.Change.Outcome, f.Change
		}
	}
	row.Add(columnFound, 100*change.Effect, nil)
	row.Add(columnLow, 100*change.Low, nil)
	row.Add(columnHigh, 100*change.High, nil)
	want := map[bool]string{true: audit.Slower, false: audit.Faster}[c.known > 0]
	switch {
	case c.known == 0 && (outcome == audit.NoDifference || outcome == audit.Placed):
		right = 1
	case c.known != 0 && outcome == want:
		right = 1
	case outcome == audit.Slower || outcome == audit.Faster:
		wrong = 1
	default:
		open = 1
	}
	row.Add(columnRight, right, nil)
	row.Add(columnWrong, wrong, nil)
	row.Add(columnOpen, open, nil)
	row.Add(columnPlaced, map[bool]float64{true: 1}[outcome == audit.Placed], nil)
	row.Add(columnFailed, float64(found.Base.Failed), nil)
}
