package target

import (
	"github.com/goprofinstr/goprofinstr/rt"
)

// A Feature is what a group of hooks is for.
type Feature string

// The features.
const (
	Abandoned Feature = "abandoned activations"
	Shards    Feature = "shards"
	Audits    Feature = "audits"
	Tests     Feature = "tests"
	Timers    Feature = "timers" // where there are timers of CPU time
	Ticker    Feature = "ticker" // on other systems
	Mappings  Feature = "mappings"
	Copies    Feature = "copies" // if asked for: AddCopies
	Mirror    Feature = "mirror" // where the run file cannot take the place of counters
)

// Without says what there is in place of a feature.
func (f Feature) Without() string { return withouts[f] }

var withouts = map[Feature]string{
	Abandoned: "activations that end in a panic or Goexit, or with the program, are counted without their paths",
	Shards:    "-atomic uses atomic instructions, which take longer",
	Audits:    "audited functions that call each other are timed together",
	Tests:     "no -per-test",
	Timers:    "no -mode sampled; the default is -mode exact",
	Ticker:    "no -mode sampled; the default is -mode exact",
	Mappings:  "probes are portable",
	Copies:    "no counting copies",
	Mirror:    "counts are written when main returns or os.Exit is called, and a panic or a kill loses them",
}

// A group is all that one feature adds to packages of the standard library. It is added as a whole or not at all: with some
// of its calls counts would be wrong.
type group struct {
	feature Feature
	folder  string            // of the package, in GOROOT/src
	files   map[string][]byte // of ours, for the package
	calls   []call
	needs   []Feature // whose files it uses
}

// A call is code for a file of a package, inserted where after, which occurs once in the file, ends: its anchor. It has
// no line end of its own: traces of fatal errors show lines of package runtime, which must be those of the original.
type call struct{ file, after, insert string }

// groups returns the groups for a toolchain, in the order in which they are added.
func groups(tc Toolchain, perTest bool) []group {
	list := []group{abandonedGroup, shardsGroup, auditsGroup}
	if perTest && tc.hasTimers() { // these are the systems on which the counters are in the run file, too
		list = append(list, testsGroup)
	}
	if tc.mirrorsCounters() {
		list = append(list, mirrorGroup)
	}
	if !tc.hasTimers() {
		return append(list, tickerGroup(tc))
	}
	list = append(list, timersGroup(tc))
	if tc.GOARCH == "amd64" {
		list = append(list, mappingsGroup)
	}
	return list
}

// Its tests of what a stack holds need what no other package can see.
var abandonedGroup = group{
	feature: Abandoned,
	folder:  "runtime",
	files:   map[string][]byte{"goprofinstr.go": rt.Patch("abandon/runtime.go.txt")},
	calls: []call{
		// recovery has found the frame to go on in, and everything above it is dead.
		{"panic.go", "\tif gp.param != nil {\n\t\tthrow(\"unexpected gp.param\")\n\t}", "; goprofinstr_recovered(gp, sp)"},
		// Goexit has run all deferred calls.
		{"panic.go", "\tp.goexit = true\n\n\tp.start(sys.GetCallerPC(), unsafe.Pointer(sys.GetCallerSP()))\n\tfor {\n" +
			"\t\tfn, ok := p.nextDefer()\n\t\tif !ok {\n\t\t\tbreak\n\t\t}\n\t\tfn()\n\t}", "; goprofinstr_leaving()"},
		// A deferred call of Goexit ends the goroutine of a coroutine, and does not return.
		{"coro.go", "\tgp.coroexit = true", "; goprofinstr_exitingCoroutine(gp)"},
		// Nobody has recovered a panic. Other goroutines stand still from here on: if they could go on for longer than they do
		// without this call, they would print and panic, too.
		{"panic.go", "\t\t\trunningPanicDefers.Add(-1)", "; goprofinstr_dying(gp, pc, sp)"},
		// A stack that has been copied must not be found with live objects in it when the memory is used again.
		{"stack.go", "\tif stackPoisonCopy != 0 {\n\t\tfillstack(old, 0xfc)\n\t}", "; memclrNoHeapPointers(unsafe.Pointer(old.lo), old.hi-old.lo)"},
	},
}

// shardsGroup gives each thread counters of its own.
var shardsGroup = group{
	feature: Shards,
	folder:  "runtime",
	files:   map[string][]byte{"goprofinstr_shards.go": rt.Patch("exact/runtime.go.txt")},
	calls: []call{
		{"runtime2.go", "\tgcAssistBytes int64", "; goprofinstr goprofinstr_g"}, // of g
		{"proc.go", "\twirep(pp)", "; goprofinstr_acquired()"},
		{"proc.go", "\tmp.curg = gp\n\tgp.m = mp", "; goprofinstr_running(gp, mp)"},
		{"coro.go", "\tsetMNoWB(&gnext.m, mp)", "; goprofinstr_running(gnext, mp)"},
		{"preempt.go", "\t\tgp.asyncSafePoint = true", "; goprofinstr_preempted(gp)"},
		{"proc.go", "func dropg() {\n\tgp := getg()", "; goprofinstr_dropped(gp.m.curg)"},
		// In mexit. handoffp can have borrowed the P once more, to allocate another thread.
		{"proc.go", "\t// Release the P.\n\thandoffp(releasep())", "; goprofinstr_exiting(mp)"},
	},
}

// auditsGroup is for audited functions.
var auditsGroup = group{
	feature: Audits,
	folder:  "runtime",
	files:   map[string][]byte{"goprofinstr_audit.go": rt.Patch("audit/runtime.go.txt")},
	calls:   []call{{"runtime2.go", "\tgcAssistBytes int64", "; goprofinstr_audits goprofinstr_g_audits"}}, // of g
}

// mirrorGroup has the runtime's monitor copy counters to the run file.
var mirrorGroup = group{
	feature: Mirror,
	folder:  "runtime",
	files:   map[string][]byte{"goprofinstr_mirror.go": rt.Patch("mirror/runtime.go.txt")},
	calls: []call{
		{"proc.go", monitorRuns, "goprofinstr_copying(now); "},
		{"proc.go", "\t\t\t\t\tif next-now < sleep {\n\t\t\t\t\t\tsleep = next - now\n\t\t\t\t\t}",
			"; sleep = goprofinstr_idle(now, sleep)"},
		{"os_windows.go", "func exit(code int32) {", " goprofinstr_exit()"},
	},
}

// monitorRuns is where the runtime's monitor looks after what runs.
const monitorRuns = "\t\t// retake P's blocked in syscalls\n\t\t// and preempt long running G's\n\t\t"

// stacks is a file for package runtime, for what samples see.
var stacks = rt.Patch("contexts/stack.go.txt")

// registers has what differs between processors, for those that have timers.
var registers = map[string][]byte{
	"amd64":   rt.Patch("tick/signal_amd64.go.txt"),
	"arm64":   rt.Patch("tick/signal_arm64.go.txt"),
	"riscv64": rt.Patch("tick/signal_riscv64.go.txt"),
}

// timersGroup is for systems with timers of CPU time.
func timersGroup(tc Toolchain) group {
	return group{
		feature: Timers,
		folder:  "runtime",
		files: map[string][]byte{
			"goprofinstr_sampler.go":   rt.Patch("tick/signal.go.txt"),
			"goprofinstr_registers.go": registers[tc.GOARCH],
			"goprofinstr_stack.go":     stacks,
		},
		calls: []call{
			{"signal_unix.go", "\tdelayedSignal := *cgo_yield != nil && mp != nil && gsignal.stack == mp.g0.stack",
				"; if (sig == _SIGPROF || sig == _SIGSEGV || sig == _SIGBUS) && goprofinstr_handled(sig, info, c, gp) { return }"},
			{"runtime2.go", "\tlockedg         guintptr", "; goprofinstr goprofinstr_m"},        // of m
			{"proc.go", "\t// Release the P.\n\thandoffp(releasep())", "; goprofinstr_end(mp)"}, // in mexit
			{"signal_unix.go", "\tif gp == nil || (gp.m != nil && gp.m.isExtraInC) {\n\t\tif sig == _SIGPROF {", " goprofinstr_outside(info)"},
		},
	}
}

// tickerGroup is for other systems. Where these map the run file, package rt is told of SIGBUS: the file may have been truncated.
func tickerGroup(tc Toolchain) group {
	g := group{
		feature: Ticker,
		folder:  "runtime",
		files: map[string][]byte{
			"goprofinstr_sampler.go": rt.Patch("tick/ticker.go.txt"),
			"goprofinstr_awake.go":   rt.Patch("tick/awake.go.txt"),
			"goprofinstr_stack.go":   stacks,
		},
		calls: []call{
			{"proc.go", monitorRuns, "goprofinstr_monitor(now); "},
		},
	}
	if tc.mapsRunFile() {
		g.files["goprofinstr_revoked.go"] = rt.Patch("runfile/bus.go.txt")
		g.calls = append(g.calls, call{"signal_unix.go", "\tdelayedSignal := *cgo_yield != nil && mp != nil && gsignal.stack == mp.g0.stack",
			"; if goprofinstr_restored(sig, c) { return }"})
	}
	return g
}

// mappingsGroup has profiles of package runtime/pprof, which say what is mapped where, have the program itself there that
// native probes have mapped in another way.
var mappingsGroup = group{
	feature: Mappings,
	folder:  "runtime/pprof",
	files:   map[string][]byte{"goprofinstr_mappings.go": rt.Patch("native/pprof.go.txt")},
	calls: []call{
		{"proto_other.go", "\tparseProcSelfMaps(data, b.addMapping)", "; b.goprofinstr_mappings()"},
	},
	needs: []Feature{Timers}, // without them nothing is native
}

// testsGroup is for package testing, which knows what test is running. Its calls stand on lines that are there, so that
// failing tests print the same.
var testsGroup = group{
	feature: Tests,
	folder:  "testing",
	files:   map[string][]byte{"goprofinstr_tests.go": rt.Patch("pertest/testing.go.txt")},
	calls: []call{
		{"testing.go", "fuzzTargets []InternalFuzzTarget, examples []InternalExample) *M {", " goprofinstr_start(deps.ImportPath())"},
		{"testing.go", "\tt.start = highPrecisionTimeNow()\n\tt.resetRaces()\n\t", "goprofinstr_enter(&t.common); "},
		{"testing.go", "\t\t\tif t.isParallel {\n\t\t\t\tparallelStop.Add(1)\n\t\t\t}\n\t\t\t", "goprofinstr_leave(&t.common); "},
		// In Parallel, where the test waits for its parent to end.
		{"testing.go", "\t\tt.chatty.Updatef(t.name, \"=== PAUSE %s\\n\", t.name)\n\t}\n\trunning.Delete(t.name)\n\n\t", "goprofinstr_leave(&t.common); "},
		{"testing.go", "\t\t\t// Release the parallel subtests.\n\t\t\t", "goprofinstr_parallel(&t.common); "},
		{"testing.go", "\t\t\tfor _, sub := range t.sub {\n\t\t\t\t<-sub.signal\n\t\t\t}", "; goprofinstr_joined(&t.common)"},

		{"fuzz.go", "\tf.start = highPrecisionTimeNow()\n\tf.resetRaces()\n\t", "goprofinstr_fuzz(f); "},
		{"fuzz.go", "\t\t\t\t// reported to the user. See issue 41479.\n\t\t\t\t", "goprofinstr_leave(&f.common); "},
		{"fuzz.go", "\t\t\tf.tstate.release()\n\t\t\t", "goprofinstr_parallel(&f.common); "},
		{"fuzz.go", "\t\t\tfor _, sub := range f.sub {\n\t\t\t\t<-sub.signal\n\t\t\t}", "; goprofinstr_joined(&f.common)"},

		{"run_example.go", "func runExample(eg InternalExample) (ok bool) {", " goprofinstr_example(eg.Name); defer goprofinstr_example(\"\")"},
	},
	needs: []Feature{Abandoned}, // which has the function that is told
}

// An Anchor is a text that a toolchain has to have once in a file for a feature.
type Anchor struct {
	Feature Feature
	File    string // of GOROOT/src, such as runtime/proc.go
	Text    string
}

// Anchors returns the anchors of all hooks for a toolchain.
func Anchors(tc Toolchain) (all []Anchor) {
	for _, g := range groups(tc, true) {
		for _, c := range g.calls {
			all = append(all, Anchor{g.feature, g.folder + "/" + c.file, c.after})
		}
	}
	return all
}
