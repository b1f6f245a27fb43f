package publish

import "strings"

// An Experiment is what docs/results has a page of.
type Experiment struct {
	Name  string // of its files
	Title string
	About string   // what it measures, and how
	Args  []string // of eval; nil if no experiment makes the file
	Idle  bool     // times or samples are compared, and the machine should have nothing else to do
	Plots []string // names of the plots that are on the page; nil for all
}

// Command returns the command line of the experiment.
func (e *Experiment) Command() string {
	args := make([]string, len(e.Args))
	for i, a := range e.Args {
		args[i] = Quoted(a)
	}
	return "go run ./integration/eval " + strings.Join(args, " ")
}

// Quoted returns an argument as a shell reads it.
func Quoted(arg string) string {
	if arg == "" || strings.ContainsAny(arg, " ()|*$^'[]") {
		return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	}
	return arg
}

// Experiments are those that are published, in the order of the index.
var Experiments = []Experiment{
	{
		Name: "time", Title: "Time of benchmarks", Idle: true,
		About: "All benchmarks in every mode that is not rare, with one P. *A/A* is the plain program once more: what is no " +
			"larger is noise. *Probes* is the sampled program without ticks. Go's own coverage is beside them.",
		Args: []string{"time", "-n", "5"},
	},
	{
		Name: "copies", Title: "Time of counting copies", Idle: true,
		About: "The same benchmarks with counting copies (`-backend=copy`). *Copy-labels* is the same program when it neither " +
			"records nor samples: what copies leave in the code.",
		Args: []string{"time", "-n", "5", "-modes", "copy,copy-labels"},
	},
	{
		Name: "sampling", Title: "Time of ways to sample", Idle: true,
		About: "The same benchmarks with portable probes, with marks of activations, and without contexts.",
		Args:  []string{"time", "-n", "3", "-modes", "sampled,probes,portable,portable-probes,marks,noframes,pprof"},
	},
	{
		Name: "parallel", Title: "Time of benchmarks that run in parallel", Idle: true,
		About: "Benchmarks that use b.RunParallel, with one P and with two, which write to the same counters.",
		Args:  []string{"time", "-n", "7", "-parallel", "-modes", "exact,atomic,sampled,stratified,cover-count"},
	},
	{
		Name: "instructions", Title: "Instructions of benchmarks",
		About: "Instructions by callgrind, which other load on the machine hardly disturbs. Benchmarks that allocate much differ " +
			"by some percent from run to run, as the column *A/A* shows.",
		Args: []string{"time", "-run", "^std ", "-n", "0", "-callgrind", "-modes",
			"exact,atomic,portable,stratified,cover-set,cover-count,cover-atomic"},
	},
	{
		Name: "optimisations", Title: "What each optimisation of exact counts brings",
		About: "Instructions by callgrind, each column without one of the optimisations (`wrap -without`).",
		Args: []string{"time", "-run", "^std ", "-n", "0", "-callgrind", "-modes",
			"exact,-inlining,-lines,-entries,-counted,-arrays,-words,-weights,-conditions,-rounds"},
	},
	{
		Name: "kinds", Title: "Instructions of pairs of paths and counted calls",
		About: "Instructions by callgrind of `-iterations=2`, and of `-kinds=calls`.",
		Args:  []string{"time", "-run", "^std ", "-n", "0", "-callgrind", "-modes", "exact,iterations,kinds"},
	},
	{
		Name: "sizes", Title: "Size of test binaries",
		About: "The test binaries of the five packages of suite std, relative to plain ones.",
		Args: []string{"time", "-run", "^std ", "-n", "0", "-modes",
			"exact,atomic,sampled,portable,stratified,cover-set,cover-count,cover-atomic"},
	},
	{
		Name: "builds", Title: "Time of builds", Idle: true,
		About: "A test binary is built after an edit in its package, with all else in the build cache.",
		Args: []string{"time", "-run", "^modules .*(toml|gjson|goldmark)", "-n", "0", "-buildtimes", "4", "-modes",
			"exact,sampled,copy,-inlining,cover-count"},
	},
	{
		Name: "wrapcost", Title: "Cost of wrap", Idle: true,
		About: "The time and memory that wrap takes itself, and `wrap go test` against `go test`.",
		Args:  []string{"wrapcost", "-n", "7"},
	},
	{
		Name: "accuracy", Title: "Accuracy of sampled profiles", Idle: true,
		About: "Profiles of samplers against exact profiles of the same work, by the measures of PEP (Bond & McKinley, MICRO-38): " +
			"path accuracy, relative and absolute overlap of edges.",
		Args: []string{"accuracy", "-samplers",
			"timer pep(64,17) ag(64,17) portable/pep(64,17) samples/pep(64,17) edges/pep(64,17) copy"},
	},
	{
		Name: "converge", Title: "Accuracy by time", Idle: true,
		About: "The same measures after 1, 5, 20 and 60 seconds of CPU time.",
		Args:  []string{"converge"},
	},
	{
		Name: "scale", Title: "How large estimates are", Idle: true,
		About: "The sum of estimates against the truth, and what profiles call never though it was.",
		Args:  []string{"scale", "-load", "10"},
	},
	{
		Name: "intervals", Title: "Intervals that hold the truth", Idle: true,
		About: "How many of the 95% intervals in profiles hold the exact count.",
		Args:  []string{"intervals", "-trials", "40"},
	},
	{
		Name: "callers", Title: "Callers of calls", Idle: true,
		About: "Generated programs whose calls by caller are known by construction.",
		Args:  []string{"callers"},
	},
	{
		Name: "service", Title: "A service against its load generator", Idle: true,
		About: "Calls, times and conditions of an HTTP service against what a load generator has counted.",
		Args:  []string{"service"},
	},
	{
		Name: "contexts", Title: "Calling contexts", Idle: true,
		About: "Calling contexts of two runs, CPU time of functions against runtime/pprof's, and the memory of trees.",
		Args:  []string{"contexts"},
	},
	{
		Name: "strat", Title: "Stratified sampling of recorded streams",
		About: "Path ends, edges and calls of recorded programs, compressed by the samplers of Sastry, Bodík & Smith (*Rapid " +
			"profiling via stratified sampling*, 2001). Nothing of it is a time: the same streams give the same numbers.",
		Args: []string{"strat"}, Plots: []string{"error-go_parser.Parse", "messages-go_parser.Parse"},
	},
	{
		Name: "pgo", Title: "Profiles for the compiler", Idle: true,
		About: "Benchmarks that are built without a profile, with a CPU profile, and with counted calls.",
		Args:  []string{"pgo", "-n", "5"},
	},
	{
		Name: "pgo-service", Title: "Profiles for the compiler, of a service", Idle: true,
		About: "A service of JSON over HTTP that is built with profiles of itself at work.",
		Args:  []string{"pgo-service", "-n", "7"},
	},
	{
		Name: "audit", Title: "How often audits are right", Idle: true,
		About: "Pairs of functions whose truth is known: decisions that are simulated from recorded timings, and live audits.",
		Args:  []string{"audit"},
	},
	{
		Name: "audit-accuracy", Title: "Timings of loops and of calls", Idle: true,
		About: "Whether loop timings tell what timings of calls tell, of pairs that differ by a known share.",
		Args:  []string{"audit-accuracy"},
	},
	{
		Name: "audit-convergence", Title: "How much sooner loops decide", Idle: true,
		About: "The time of a function until a difference is seen: by calls, and by passes of its loops.",
		Args:  []string{"audit-convergence"},
	},
	{
		Name: "audit-base", Title: "Audits of commits", Idle: true,
		About: "Whether `audit -base` is right about commits whose truth is known: equal ones, and others by a known share. Of a " +
			"row *right*, *wrong*, *open* and *gate fails* are 1 or 0.",
		Args: []string{"audit-base", "-loads", "0", "-time", "2s"},
	},
	{
		Name: "audit-base-busy", Title: "Audits of commits on a busy machine",
		About: "The same beside eight busy loops, of the function whose time depends most on where its code lies.",
		Args:  []string{"audit-base", "-loads", "8", "-time", "2s", "-run", "AppendJSONString"},
	},
	{
		Name: "papers", Title: "Figures of the papers",
		About: "What the papers say of their own systems, copied from their texts, for [a comparison](../reference/peers.md). " +
			"Machines, languages and benchmarks are others in each.",
	},
}

// Find returns the experiment of a name; nil if there is none.
func Find(name string) *Experiment {
	for i := range Experiments {
		if Experiments[i].Name == name {
			return &Experiments[i]
		}
	}
	return nil
}
