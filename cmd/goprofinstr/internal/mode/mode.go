// Package mode reads the flags of wrap that say what is counted, and how: -mode, and those that only some modes have.
//
//	var f mode.Flags
//	… a table with f.ModeRows(), f.KindRows() and so on parses the command line …
//	err := f.Settle("test")         // which mode it is, so that the table can refuse flags of others
//	choice, err := f.Read()         // what the flags of this mode say
//	why, err := choice.GoNative(…)  // when the toolchain is known
//
// A mode is a row of the table modes, with a function that reads the flags which are for it.
package mode

import (
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/guess"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/rewrite"
	"github.com/goprofinstr/goprofinstr/rewrite/method"
)

// The modes.
const (
	Exact      = "exact"
	Sampled    = "sampled"
	Stratified = "stratified"
)

// A mode is a way of counting that the user chooses with -mode.
type mode struct {
	name, usage string
	read        func(*Flags, *method.Options) error // the flags that are for it
}

// modes are all modes, in the order in which help shows them.
var modes = []mode{
	{Exact, "count every path (the default for go test)", (*Flags).readMany},
	{Sampled, `estimate from samples how often each was executed (the default for go build, run and
		install)`, (*Flags).readSampling},
	{Stratified, `count every path of functions that have few, and of others one in 256 path ends of each of
		2048 groups, and estimate the rest`, (*Flags).readStream},
}

// find returns the mode that was chosen, nil if there is none of its name.
func (f *Flags) find() *mode {
	at := slices.IndexFunc(modes, func(m mode) bool { return m.name == f.mode })
	if at < 0 {
		return nil
	}
	return &modes[at]
}

// names returns "exact, sampled or stratified".
func names() string {
	var names []string
	for _, m := range modes {
		names = append(names, m.name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// usages is what help says of -mode: a line or more for each.
func usages() string {
	var lines []string
	for _, m := range modes {
		lines = append(lines, m.name+": "+m.usage)
	}
	return strings.Join(lines, ";\n")
}

// A Choice is what the flags say.
type Choice struct {
	Mode     string
	Counting method.Options
	Kinds    rewrite.Kinds // of events that are counted besides paths
	PerTest  bool          // paths of each test are recorded
	Pairs    bool          // paths that follow each other are counted, too

	backend string
	chosen  bool // Mode is the user's choice, and not the default
}

// Settle decides on the mode for a go command of this verb, and refuses one that there is not.
func (f *Flags) Settle(verb string) error {
	f.chosen = f.mode != "" || f.sampler+f.budget+f.period+f.frames != "" ||
		slices.Contains([]string{native, portable, inCopies}, f.backend)
	if f.mode == "" {
		f.mode = Exact
		if verb != "test" && !f.atomic && f.kinds == "" && f.iterations < 2 {
			f.mode = Sampled // programs run for long, and nobody wants to wait for them
		}
	}
	if f.find() == nil {
		return usage.Errorf("unknown -mode %q%s; use -mode %s", f.mode, guess.Hint(f.mode, "", []string{Exact, Sampled, Stratified}), names())
	}
	if !slices.Contains([]string{auto, native, portable, inCopies}, f.backend) {
		return usage.Errorf("unknown -backend %q; use auto, native, portable or copy", f.backend)
	}
	if f.iterations < 1 || f.iterations > 2 {
		return usage.Errorf("-iterations %d: want 1 or 2; of more rounds in a row there are too many to count", f.iterations)
	}
	if f.kinds == "" && f.kindsIn != "" {
		return usage.Errorf("-kinds-in %s: say with -kinds what to count there", f.kindsIn)
	}
	return nil
}

// Read reads the flags of the mode that was settled.
func (f *Flags) Read() (*Choice, error) {
	c := &Choice{Mode: f.mode, Counting: method.Options{Atomic: f.atomic}, PerTest: f.perTest,
		Pairs: f.iterations > 1, backend: f.backend, chosen: f.chosen}
	if err := f.readKinds(&c.Kinds); err != nil {
		return nil, err
	}
	if err := f.find().read(f, &c.Counting); err != nil {
		return nil, err
	}
	return c, f.fitCopies(&c.Counting)
}

// fitCopies reports as an error what counting copies do not do.
func (f *Flags) fitCopies(o *method.Options) error {
	switch {
	case f.backend != inCopies:
	case f.sampler != "":
		return usage.Errorf("-sampler %s: counting copies sample all paths that begin in windows of time; leave it or -backend copy out",
			f.sampler)
	case o.Sampling.Marks:
		return usage.Errorf("-frames %s: counting copies have no code that marks activations; leave ,marks or -backend copy out",
			f.frames)
	}
	return nil
}

// TakesCover reports as an error that there can be no coverage: it takes exact counts of all paths.
func (c *Choice) TakesCover() error {
	switch {
	case c.Mode != Exact:
		return usage.Errorf("coverage needs -mode exact")
	case c.Counting.Stream.On():
		return usage.Errorf("coverage needs exact counts of all paths: leave -sampler out")
	}
	return nil
}
