package audit

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"text/template"

	"github.com/goprofinstr/goprofinstr/export/verdict"
	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// AUDIT 6.2: what passes say of two versions against what calls say, which are right. The pairs are those whose true
// difference is calibrated and those of testdata/loopy.

//go:embed testdata/calibrated/main.go.tmpl
var calibratedProgram string

// calibratedWork is what functions of testdata/calibrated do in a pass: so many times a statement, on x.
var calibratedWork = []struct {
	name, work string
	times      int
}{
	{"loop", "x = x*6364136223846793005 + 1; x = x*2862933555777941757 + 3; x = " +
		"x*3202034522624059733 + 5; x = x*3935559000370003845 + 7", 1500},
	{"call", "x = step(step(x))", 1500},
	{"allocation", "sink = &[4]uint64{x}; x = sink[0] + 1; sink = &[4]uint64{x}", 300},
	{"memory", "x = uint64(next[next[x%(1<<21)]])", 100},
}

// calibratedMore is by how many percent more work variants have.
var calibratedMore = []int{-20, -5, -2, -1, 1, 2, 5, 20}

// A calibrated function has so much work in a pass of itself and of its variant.
type calibrated struct {
	Name, Work string
	A, B       int
	kind       string
	more       int
}

func calibratedFunctions() (all []calibrated) {
	for _, w := range calibratedWork {
		for i, more := range calibratedMore {
			all = append(all, calibrated{fmt.Sprintf("F%s%d", w.name, i), w.work, w.times,
				w.times * (100 + more) / 100, w.name, more})
		}
	}
	return all
}

const (
	columnTrue    = "work, %"
	columnByCalls = "calls, %"
	columnByLaps  = "passes, %"
	columnAgree   = "agree"
	columnRight   = "passes right"
)

// An Agreement records the suites, and compares what calls and passes say of their pairs: eval audit-accuracy.
type Agreement struct{ recordings }

// Run adds what is measured to the report.
func (x *Agreement) Run(r *result.Report) error {
	w, err := x.Workshop(nil)
	if err != nil {
		return err
	}
	defer w.Close()
	known := &result.Measure{Title: "B against A, by calls and by passes, where the difference is known",
		Unit: "%", Absolute: true,
		Columns: []string{columnTrue, columnByCalls, columnByLaps, columnAgree, columnRight}}
	if err := calibratedPairs(w, known, x.seconds); err != nil {
		return err
	}
	recorded, err := recordLoopy(w, x.seconds)
	if err != nil {
		return err
	}
	pairs := &result.Measure{Title: "B against A, by calls and by passes", Unit: "%", Absolute: true,
		Columns: []string{columnByCalls, columnByLaps, columnAgree}}
	for _, name := range loopyFunctions {
		row := result.NewRow("loopy", name)
		if _, err := recorded.agreement(row, loopyPrefix+name); err != nil {
			return err
		}
		pairs.Rows = append(pairs.Rows, row)
	}
	r.Measures = append(r.Measures, known, pairs)
	return nil
}

// calibratedPairs records testdata/calibrated, for so many seconds for each function.
func calibratedPairs(w *lab.Workshop, m *result.Measure, seconds float64) error {
	dir := filepath.Join(w.Scratch, "calibrated")
	if err := lab.WriteGoMod(dir, "main"); err != nil {
		return err
	}
	functions := calibratedFunctions()
	var source bytes.Buffer
	if err := template.Must(template.New("").Parse(calibratedProgram)).Execute(&source, functions); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), source.Bytes(), 0o666); err != nil {
		return err
	}
	recorded, err := recordLoops(w, dir, exec.Command("go", "build", "-o", "prog", "."),
		exec.Command("./prog", strconv.FormatFloat(seconds*float64(len(functions)), 'g', -1, 64)))
	if err != nil {
		return err
	}
	for _, f := range functions {
		r := result.NewRow(f.kind, fmt.Sprintf("%s %+d%%", f.kind, f.more))
		r.Add(columnTrue, 100*(float64(f.B)/float64(f.A)-1), nil)
		byPasses, err := recorded.agreement(r, "main."+f.Name)
		if err != nil {
			return err
		}
		r.Add(columnRight, sameSign(byPasses, float64(f.more)), nil)
		m.Rows = append(m.Rows, r)
	}
	return nil
}

// agreement compares what calls and passes say of a function's B, and returns what passes say: AUDIT 6.2,
// where calls are right. That what they find is less than 1% is no disagreement.
func (recorded loopRecording) agreement(r *result.Row, name string) (byPasses float64, err error) {
	t := recorded[name]
	if t == nil || len(t.groups) == 0 {
		return 0, fmt.Errorf("%s has no loop timings", name)
	}
	o := verdict.Defaults(t.least)
	calls, passes := verdict.New(2, o), verdict.New(2, o)
	for version := range 2 {
		for _, ns := range t.calls[version] {
			calls.Add(version, ns)
		}
		for _, g := range t.groups[version] {
			for _, ns := range g {
				passes.Add(version, ns)
			}
		}
	}
	byCalls, byPasses := effect(calls), effect(passes)
	agree := sameSign(byCalls, byPasses)
	if math.Abs(byCalls) < 0.01 {
		agree = 1
	}
	r.Add(columnByCalls, 100*byCalls, nil)
	r.Add(columnByLaps, 100*byPasses, nil)
	r.Add(columnAgree, agree, nil)
	return byPasses, nil
}

// sameSign is 1 if two differences have the same sign, and 0 otherwise.
func sameSign(a, b float64) float64 {
	if math.Signbit(a) == math.Signbit(b) {
		return 1
	}
	return 0
}

// effect is by how much longer B takes, without outliers.
func effect(t *verdict.Trial) float64 {
	v := t.Result().Versions
	return v[1].Capped/v[0].Capped - 1
}
