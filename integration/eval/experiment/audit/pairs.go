package audit

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/goprofinstr/goprofinstr/export/audit"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/export/verdict"
	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// Audits of pairs whose truth is known: decisions simulated from recorded timings, and live ones.

//go:embed testdata/audit/main.go
var pairProgram []byte

// An auditPair is a function whose two versions differ as the name says.
type auditPair struct{ name, function string }

// auditPairs are the functions of testdata/audit.
var auditPairs = []auditPair{
	{"0% more", "main.Zero"},
	{"1% more", "main.One"},
	{"2% more", "main.Two"},
	{"5% more", "main.Five"},
	{"20% more", "main.Twenty"},
	{"noisy, 0% more", "main.Noisy"},
}

// A simulation is of audits of a function. With a factor, the recorded timings are parted at random, as in
// AUDIT 6.3, and those of B are longer by it. Then the truth is exact. For recorded timings it depends on
// where the linker has put functions.
type simulation struct {
	name, function string
	factor         float64 // 0 for timings as they are
	noMargin       bool    // every effect matters
}

func simulations() (all []simulation) {
	for _, p := range auditPairs[:5] {
		all = append(all, simulation{name: p.name, function: p.function})
	}
	for _, more := range []float64{0, 5, 20} {
		all = append(all, simulation{fmt.Sprintf("noisy, %g%% more", more), "main.Noisy", 1 + more/100, false})
	}
	return append(all, simulation{"0% more, -min-effect 0", "main.Zero", 1, true},
		simulation{"noisy, 0% more, -min-effect 0", "main.Noisy", 1, true})
}

// A pairAudit has the program with the pairs, and what audits of it found.
type pairAudit struct {
	*lab.Workshop
	table *result.Measure
}

const (
	// stretch is how many consecutive timings a simulated run takes at a time from the recorded one. So neighbours
	// stay as alike as they are.
	stretch = 100
	// mostTimings is when a simulated audit's time is over. Live audits of 5 s have several times as many.
	mostTimings = 8_000
	liveLimit   = "5s"
)

// Columns of the tables: shares of audits, and the median of the timings that they took.
const (
	columnA       = "A faster, %"
	columnB       = "B faster, %"
	columnSame    = "same, %"
	columnOpen    = "open, %"
	columnTimings = "timings"
)

// A tally counts the outcomes of audits of a pair.
type tally struct {
	a, b, same, open int
	timings          []float64
}

func (t *tally) add(outcome verdict.Outcome, best int, timings float64) {
	switch {
	case outcome == verdict.Faster && best == 0:
		t.a++
	case outcome == verdict.Faster:
		t.b++
	case outcome == verdict.Same:
		t.same++
	default:
		t.open++
	}
	t.timings = append(t.timings, timings)
}

func (t *tally) row(suite, name string) *result.Row {
	r := result.NewRow(suite, name)
	n := float64(len(t.timings)) / 100
	r.Add(columnA, float64(t.a)/n, nil)
	r.Add(columnB, float64(t.b)/n, nil)
	r.Add(columnSame, float64(t.same)/n, nil)
	r.Add(columnOpen, float64(t.open)/n, nil)
	r.Add(columnTimings, result.Share(t.timings).Value, nil)
	return r
}

// A recorded timing is what a program has recorded.
type recordedTiming struct {
	version int
	ticks   float64
}

// simulateAudits decides over and over from one recorded run.
func (p *pairAudit) simulateAudits(match *regexp.Regexp, decisions int) error {
	all := slices.DeleteFunc(simulations(), func(s simulation) bool { return !match.MatchString("simulated " + s.name) })
	if decisions == 0 || len(all) == 0 {
		return nil
	}
	recorded, least, err := p.recordTimings()
	if err != nil {
		return err
	}
	rows := make([]*result.Row, len(all))
	var wg sync.WaitGroup
	for i, s := range all {
		timings := recorded[s.function]
		if len(timings) < 10*stretch {
			return fmt.Errorf("only %d timings of %s", len(timings), s.function)
		}
		wg.Go(func() {
			var t tally
			for i := range decisions {
				r, n := s.decide(rand.New(rand.NewPCG(uint64(i), 1)), timings, least)
				t.add(r.Outcome, r.Best, float64(n))
			}
			rows[i] = t.row("simulated", s.name)
		})
	}
	wg.Wait()
	p.table.Rows = append(p.table.Rows, rows...)
	return nil
}

// recordTimings runs the program unwatched, and returns the last timings of each function, and the least that
// the clock tells.
func (p *pairAudit) recordTimings() (recorded map[string][]recordedTiming, least float64, err error) {
	if err := p.auditCommand("go", "build", "-o", "prog", "."); err != nil {
		return nil, 0, err
	}
	dir := filepath.Join(p.Scratch, "recorded")
	cmd := exec.Command("./prog", "8")
	cmd.Dir, cmd.Env = p.Scratch, append(os.Environ(), profiledir.Var+"="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, 0, fmt.Errorf("%w: %s", err, out)
	}
	names := profiledir.Glob(dir)
	if len(names) != 1 {
		return nil, 0, errors.New("the program has recorded nothing")
	}
	f, err := rundata.Follow(names[0])
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	if err := f.Poll(); err != nil {
		return nil, 0, err
	}
	recorded = make(map[string][]recordedTiming)
	for _, a := range f.Audits {
		least = a.Least * a.Nanosecond
		err := a.Drain(true, func(version int, ticks uint64) {
			recorded[a.Function] = append(recorded[a.Function], recordedTiming{version, float64(ticks)})
		})
		if err != nil {
			return nil, 0, err
		}
	}
	return recorded, least, nil
}

// decide looks for a decision after every eight timings, as if the program ran on and on with stretches of
// what was recorded.
func (s *simulation) decide(random *rand.Rand, timings []recordedTiming, least float64) (r verdict.Result, n int) {
	o := verdict.Defaults(least)
	if s.noMargin {
		o.Margin, o.Resolution = 0, 0
	}
	t := verdict.New(2, o)
	for n < mostTimings && !t.Decided() {
		at := random.IntN(len(timings) - stretch)
		for _, r := range timings[at : at+stretch] {
			if s.factor != 0 {
				if r.version = random.IntN(2); r.version == 1 {
					r.ticks = least + (r.ticks-least)*s.factor
				}
			}
			t.Add(r.version, r.ticks)
			n++
			if n%8 == 0 && t.Decided() {
				break
			}
		}
	}
	return t.Result(), n
}

// liveAudits runs goprofinstr audit over and over.
func (p *pairAudit) liveAudits(match *regexp.Regexp, audits int) error {
	pairs := slices.Clone(auditPairs)
	pairs = slices.DeleteFunc(pairs, func(p auditPair) bool { return !match.MatchString("live " + p.name) })
	if audits == 0 || len(pairs) == 0 {
		return nil
	}
	tallies := make([]tally, len(pairs))
	for range audits {
		if err := p.auditCommand("go", "run", ".", "6"); err != nil {
			return err
		}
		data, err := os.ReadFile(filepath.Join(p.Scratch, "goprofinstr.out", profiledir.Audit("json")))
		if err != nil {
			return err
		}
		var r audit.Report
		if err := json.Unmarshal(data, &r); err != nil {
			return err
		}
		for i, pair := range pairs {
			at := slices.IndexFunc(r.Functions, func(f audit.Function) bool { return f.Name == pair.function })
			if at < 0 {
				return fmt.Errorf("no audit of %s", pair.function)
			}
			f, n := &r.Functions[at], 0
			for _, v := range f.Versions {
				n += v.Timings
			}
			tallies[i].add(f.Outcome, f.Best, float64(n))
		}
	}
	for i := range tallies {
		p.table.Rows = append(p.table.Rows, tallies[i].row("live", pairs[i].name))
	}
	return nil
}

// auditCommand audits a go command in the scratch folder.
func (p *pairAudit) auditCommand(words ...string) error {
	// A timing is of one of two versions.
	args := []string{"audit", "-copies=1", "-max-time", liveLimit, "-stop", "-format", "none", "--"}
	cmd := exec.Command(p.Goprofinstr, append(args, words...)...)
	cmd.Dir = p.Scratch
	cmd.Stdout = io.Discard
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%v: %w\n%s", words, err, stderr.String())
	}
	return nil
}
