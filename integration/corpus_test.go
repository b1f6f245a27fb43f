package integration

import (
	"path/filepath"
	"regexp"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/integration/internal/fetch"
	"github.com/goprofinstr/goprofinstr/internal/longtest"
)

// skipSlow leaves out goldmark's tests that fail if they take longer than some seconds, as they do on a machine that is busy.
const skipSlow = "-skip=Performance$"

// corpus are real modules whose tests pass offline, once the module cache has them.
var corpus = []struct {
	module, version string
	large           bool
}{
	{"github.com/BurntSushi/toml", "v1.6.0", true},
	{"github.com/yuin/goldmark", "v1.8.7", true},
	{"github.com/golang/snappy", "v1.0.0", false},
	{"github.com/disintegration/imaging", "v1.6.2", true},
}

// TestCorpus runs the tests of real modules plainly and wrapped. They must pass alike, nothing
// may be declined, and for every function flow must be conserved.
func TestCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and tests other modules")
	}
	for _, m := range corpus {
		t.Run(m.module, func(t *testing.T) {
			if m.large {
				longtest.Skip(t)
			}
			dir := fetch.ForTest(t, m.module, m.version)
			plain, _ := run(t, dir, "go", "test", "-count=1", "-v", skipSlow, ".")
			// Atomic, for some of these test in parallel, and a lost count looks like a broken flow.
			wrapped, summary := run(t, dir, goprofinstr, "wrap", "-atomic", "-o", "out", "go", "test", "-v", skipSlow, ".")
			if got, want := passed(wrapped), passed(plain); got != want || want == 0 {
				t.Errorf("%d tests passed wrapped, %d plainly", got, want)
			}
			checkProfile(t, filepath.Join(dir, "out"))
			t.Logf("%s", summary)
		})
	}
}

func checkProfile(t *testing.T, dir string) {
	t.Helper()
	p, err := profile.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Check(); err != nil {
		t.Errorf("flow: %v", err)
	}
	c := p.Coverage()
	t.Logf("%d functions instrumented, %d declined, %d executed; %d of %v paths executed; %d activations abandoned",
		c.Functions, c.Declined, c.FunctionsExecuted, c.PathsExecuted, c.Paths, c.Abandoned)
	if c.FunctionsExecuted == 0 || c.PathsExecuted == 0 {
		t.Error("nothing was executed")
	}
	for _, f := range p.Functions() {
		if f.Declined() {
			t.Errorf("%s declined: %s", f.Table.Name, f.Table.Declined)
		}
	}
}

var passLine = regexp.MustCompile(`(?m)^ *--- PASS`)

func passed(output string) int { return len(passLine.FindAllString(output, -1)) }
