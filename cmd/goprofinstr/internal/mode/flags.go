package mode

import "github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"

// Flags are the values of the flags, as they stand on the command line.
type Flags struct {
	mode    string
	sampler string
	counted string
	budget  string
	period  string
	frames  string
	backend string
	kinds   string
	kindsIn string
	atomic  bool
	perTest bool

	iterations int

	chosen bool // the mode is the user's choice, and not the default
}

// The rules, in which modes some flags mean something.
var (
	forTicks = &flags.Only{Flag: "mode", Values: []string{Sampled}, Why: map[string]string{
		Stratified: "-mode stratified has no ticks",
	}}
	forProbes = &flags.Only{Flag: "mode", Values: []string{Sampled}}
	forAtomic = &flags.Only{Flag: "mode", Values: []string{Exact}, Why: map[string]string{
		Sampled:    "samples are never lost",
		Stratified: "-mode stratified loses no count as it is",
	}}
	forCounted = &flags.Only{Flag: "mode", Values: []string{Stratified, Exact}, Why: map[string]string{
		Sampled: "-mode sampled counts nothing",
	}}
	forKinds = &flags.Only{Flag: "mode", Values: []string{Exact, Stratified}, Needs: true, Why: map[string]string{
		Sampled: "-mode sampled looks at ends of paths only",
	}}
	forKindsIn    = &flags.Only{Flag: "mode", Values: []string{Exact, Stratified}, Needs: true} // -kinds is refused first
	forIterations = &flags.Only{Flag: "mode", Values: []string{Exact}, Needs: true, Why: map[string]string{
		"": "two samples in a row are rare",
	}}
	forTests = &flags.Only{Flag: "mode", Values: []string{Exact}, Needs: true, Why: map[string]string{
		"": "which test a sample is of would be chance",
	}}
)

// ModeRows are the flags that say how paths are counted.
func (f *Flags) ModeRows() []flags.Flag {
	return []flags.Flag{
		{Name: "mode", Value: "MODE", Var: &f.mode, Usage: usages(), Values: []string{Exact, Sampled, Stratified}},
		{Name: "sampler", Value: "SPEC", Var: &f.sampler,
			Usage: `sampled: which path ends after each tick of 10 ms of CPU time are samples: pep(SAMPLES,STRIDE)
			takes as many in a row, after skipping up to STRIDE-1; ag(SAMPLES,STRIDE) takes one in STRIDE;
			timer takes the first; default pep(64,17);
			stratified: which of all path ends are; default H[P256]2048, see goprofinstr help sampler;
			exact: if it is given, paths of functions that have many are not counted but sampled so`},
		{Name: "count-up-to", Value: "N", Var: &f.counted, Only: forCounted,
			Usage: `stratified, and exact with -sampler: functions with up to N paths are counted, others sampled (default 65536,
			up to 131072); 0, in -mode stratified, samples all`},
		{Name: "cpu-budget", Value: "PCT", Var: &f.budget, Only: forTicks,
			Usage: "sampled: the most CPU time that sampling may take, in percent (default 1)"},
		{Name: "period", Value: "DURATION", Var: &f.period, Only: forTicks,
			Usage: "sampled: the CPU time between ticks (default 10ms, 4ms to 1s)"},
		{Name: "frames", Value: "N[,marks]", Var: &f.frames, Only: forTicks,
			Usage: `sampled: the most new frames of a calling context that a sample may find (default 128); 0 for no contexts;
			with ,marks ticks tell activations that are new since the last one, for up to 2% more CPU time`},
		{Name: "backend", Value: "BACKEND", Var: &f.backend, Default: auto, Only: forProbes, Values: []string{native, portable, inCopies, auto},
			Usage: `sampled: native: the probes are no-ops, and calls in bursts (linux/amd64); portable: a compare and a branch;
			copy: none, and copies of the machine code count (linux/amd64, linux/arm64 without C code, experimental);
			auto: native where that works (the default)`},
	}
}

// KindRows are the flags that say what is counted besides paths.
func (f *Flags) KindRows() []flags.Flag {
	return []flags.Flag{
		{Name: "kinds", Value: "LIST", Var: &f.kinds, Only: forKinds, Values: []string{"calls", "trips", "values"},
			Usage: `what to count besides paths and branches, separated by commas; exact and stratified: calls: the functions that
			interface methods and function values call; trips: how often loops go round each time; values: those of
			the variables that are assigned on lines with the comment //goprofinstr:value, or of the parameters of a function
			that begins on one`},
		{Name: "kinds-in", Value: "PATTERNS", Var: &f.kindsIn, Only: forKindsIn,
			Usage: `where: functions with their import paths, or import paths, with ... for anything; default everywhere. A function
			with the comment //goprofinstr:kinds LIST above it has these, too`},
	}
}

// IterationsRow is the flag that has paths counted over the back edges of loops.
func (f *Flags) IterationsRow() flags.Flag {
	return flags.Flag{Name: "iterations", Value: "K", Var: &f.iterations, Default: 1, Only: forIterations, Values: []string{"1", "2"},
		Usage: `2: count which path came before each path of a loop, too, for prime paths: see goprofinstr report -format
		prime (default 1)`}
}

// PerTestRow is the flag that has each test told apart.
func (f *Flags) PerTestRow() flags.Flag {
	return flags.Flag{Name: "per-test", Var: &f.perTest, Verbs: []string{"test"}, Only: forTests,
		Usage: `record the paths of each test: of subtests, too, unless they run in parallel, when all subtests of a test
			that do are taken together; see goprofinstr help report. For go test and -mode exact, on Linux`}
}

// AtomicRow is the flag that makes counting exact under concurrency.
func (f *Flags) AtomicRow() flags.Flag {
	return flags.Flag{Name: "atomic", Var: &f.atomic, Only: forAtomic,
		Usage: `lose no count when goroutines run the same code at the same time; without it two that do
			nothing else lose some 5 to 6% of theirs at most`}
}
