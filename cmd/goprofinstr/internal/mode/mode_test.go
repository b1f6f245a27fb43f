package mode

import (
	"slices"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

// choose does what wrap does with the flags of a command line.
func choose(t *testing.T, verb, line string) (*Choice, string) {
	t.Helper()
	var f Flags
	others := []flags.Flag{f.PerTestRow(), f.AtomicRow(), f.IterationsRow()}
	table := flags.Table{Flags: slices.Concat(f.ModeRows(), f.KindRows(), others)}
	set := table.Set("wrap")
	if err := set.Parse(strings.Fields(line)); err != nil {
		t.Fatal(err)
	}
	if err := f.Settle(verb); err != nil {
		return nil, err.Error()
	}
	if why := table.Refusal(set, verb); why != "" {
		return nil, why
	}
	c, err := f.Read()
	if err != nil {
		return nil, err.Error()
	}
	return c, ""
}

func TestMode(t *testing.T) {
	for _, test := range []struct{ verb, line, want string }{
		{"test", "", Exact},
		{"run", "", Sampled},
		{"build", "", Sampled},
		{"install", "-atomic", Exact},
		{"run", "-kinds calls", Exact},
		{"run", "-iterations 2", Exact},
		{"run", "-mode stratified", Stratified},
	} {
		if c, why := choose(t, test.verb, test.line); why != "" || c.Mode != test.want {
			t.Errorf("go %s, %q: %+v %s, want mode %s", test.verb, test.line, c, why, test.want)
		}
	}
}

func TestRefused(t *testing.T) {
	for line, want := range map[string]string{
		"-mode foo":                            "use -mode exact, sampled or stratified",
		"-kinds-in f":                          "say with -kinds what to count there",
		"-kinds foo":                           "unknown -kinds",
		"-kinds calls -per-test":               "cannot be had at once",
		"-mode sampled -kinds calls":           "ends of paths only",
		"-mode sampled -atomic":                "samples are never lost",
		"-mode sampled -count-up-to 3":         "counts nothing",
		"-mode sampled -cpu-budget 101":        "want a percentage",
		"-mode sampled -period 1ms":            "want a time from 4ms to 1s",
		"-mode sampled -frames 129":            "want a number from 0 to 128",
		"-mode sampled -frames 9,mark":         "want a number from 0 to 128, and ,marks behind it or not",
		"-mode sampled -frames marks":          "want a number from 0 to 128",
		"-mode sampled -frames 0,marks":        "nothing to mark",
		"-mode sampled -sampler H[P256]2048":   "is for -mode stratified",
		"-mode stratified -sampler pep(64,17)": "is for -mode sampled",
		"-mode stratified -period 10ms":        "has no ticks",
		"-count-up-to 3":                       "say with -sampler",
		"-sampler P256 -count-up-to 0":         "want a number from 1",
		"-sampler P256 -per-test":              "leave -sampler out",
		"-sampler P256 -iterations 2":          "leave -sampler out",
		"-iterations 3":                        "want 1 or 2",
		"-mode sampled -backend gpu":           `unknown -backend "gpu"; use auto, native, portable or copy`,
		"-mode sampled -iterations 2":          "two samples in a row are rare",
		"-mode stratified -iterations 2":       "two samples in a row are rare",
	} {
		if _, why := choose(t, "test", line); !strings.Contains(why, want) {
			t.Errorf("%q: %q, want %q", line, why, want)
		}
	}
}

// TestCounting looks at what each mode makes of its flags and of their defaults.
func TestCounting(t *testing.T) {
	for _, test := range []struct {
		line string
		has  func(*Choice) bool
	}{
		{"", func(c *Choice) bool {
			return !c.Counting.Sampling.On() && !c.Counting.Stream.On() && c.TakesCover() == nil
		}},
		{"-mode sampled -frames 0 -cpu-budget 2", func(c *Choice) bool {
			s := c.Counting.Sampling
			return s.On() && s.Budget == 20_000 && s.Frames == 0 && s.Period == defaultPeriod && c.TakesCover() != nil
		}},
		{"-mode sampled", func(c *Choice) bool {
			s := c.Counting.Sampling
			return s.Frames == defaultFrames && !s.Marks
		}},
		{"-mode sampled -frames 7,marks", func(c *Choice) bool {
			s := c.Counting.Sampling
			return s.Frames == 7 && s.Marks
		}},
		{"-mode stratified -count-up-to 0", func(c *Choice) bool {
			s := c.Counting.Stream
			return s.Text == defaultStrata && s.Counted == 0 && !s.PathsOnly && c.Counting.Atomic
		}},
		{"-sampler P256", func(c *Choice) bool {
			s := c.Counting.Stream
			return s.Counted == defaultCounted && s.PathsOnly && !c.Counting.Atomic && c.TakesCover() != nil
		}},
		{"-kinds calls,trips -kinds-in a,b", func(c *Choice) bool {
			return c.Kinds.Calls && c.Kinds.Trips && !c.Kinds.Values && slices.Equal(c.Kinds.In, []string{"a", "b"})
		}},
	} {
		if c, why := choose(t, "test", test.line); why != "" || !test.has(c) {
			t.Errorf("%q: %+v %s", test.line, c, why)
		}
	}
}

// TestGoNative asks for native probes where there are none.
func TestGoNative(t *testing.T) {
	elsewhere := &toolchain.Toolchain{GOOS: "plan9", GOARCH: "arm"}
	const why = "they are for linux/amd64, and this is plan9/arm"
	for _, test := range []struct{ line, portable, err string }{
		{"-mode exact", "", ""},
		{"-mode sampled", why, ""},
		{"-mode sampled -backend portable", "", ""},
		{"-mode sampled -backend native", "", "no native probes: " + why},
		{"-mode sampled -backend copy", "", "no counting copies: they are for linux/amd64 and linux/arm64, and this is plan9/arm"},
	} {
		c, refused := choose(t, "test", test.line)
		if refused != "" {
			t.Fatal(refused)
		}
		portable, err := c.GoNative(new(gocmd.Command), elsewhere, nil)
		said := ""
		if err != nil {
			said = err.Error()
		}
		if portable != test.portable || said != test.err || c.Counting.Sampling.Native {
			t.Errorf("%s: portable because %q, error %q, native %t", test.line, portable, said, c.Counting.Sampling.Native)
		}
	}
}

// TestFit chooses modes where there are no hooks.
func TestFit(t *testing.T) {
	const counted = "paths are counted, as with -mode exact, and not sampled"
	var none target.Hooks
	for _, test := range []struct {
		verb, line, mode, err string
		lost                  []string
	}{
		{"run", "", Exact, "", []string{counted, target.Abandoned.Without()}},
		{"run", "-period 20ms", "", "its runtime is not as -mode sampled expects; use -mode exact", nil},
		{"run", "-mode sampled", "", "its runtime is not as -mode sampled expects; use -mode exact", nil},
		{"test", "", Exact, "", []string{target.Abandoned.Without()}},
		{"test", "-atomic", Exact, "", []string{target.Abandoned.Without(), target.Shards.Without()}},
		{"test", "-mode stratified -count-up-to 0", Stratified, "", []string{target.Shards.Without()}},
	} {
		c, refused := choose(t, test.verb, test.line)
		if refused != "" {
			t.Fatal(refused)
		}
		lost, err := c.Fit(&none, "go1.99")
		if err != nil && test.err != "" && strings.Contains(err.Error(), test.err) {
			continue
		}
		if err != nil || test.err != "" || c.Mode != test.mode || !slices.Equal(lost, test.lost) {
			t.Errorf("go %s, %q: %+v, %v, lost %q", test.verb, test.line, c, err, lost)
		}
	}
}
