package target

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"

	"github.com/goprofinstr/goprofinstr/rt"
)

// hooks is a file for package runtime. Its tests of what a stack holds need what
// no other package can see.
var hooks = rt.Patch("abandon/runtime.go.txt")

// A call is code for a file of package runtime, inserted where after, which occurs once in the file, ends. It has
// no line end of its own: traces of fatal errors show lines of package runtime, which must be those of the original.
type call struct{ file, after, insert string }

// hookCalls are the calls of the hooks.
var hookCalls = []call{
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
}

// shards is another file for package runtime.
var shards = rt.Patch("exact/runtime.go.txt")

// shardCalls are its calls, and a field.
var shardCalls = []call{
	{"runtime2.go", "\tgcAssistBytes int64", "; goprofinstr goprofinstr_g"}, // of g
	{"proc.go", "\twirep(pp)", "; goprofinstr_acquired()"},
	{"proc.go", "\tmp.curg = gp\n\tgp.m = mp", "; goprofinstr_running(gp, mp)"},
	{"coro.go", "\tsetMNoWB(&gnext.m, mp)", "; goprofinstr_running(gnext, mp)"},
	{"preempt.go", "\t\tgp.asyncSafePoint = true", "; goprofinstr_preempted(gp)"},
	{"proc.go", "func dropg() {\n\tgp := getg()", "; goprofinstr_dropped(gp.m.curg)"},
	// In mexit. handoffp can have borrowed the P once more, to allocate another thread.
	{"proc.go", "\t// Release the P.\n\thandoffp(releasep())", "; goprofinstr_exiting(mp)"},
}

// stacks is another file for package runtime, for what samples see.
var stacks = rt.Patch("contexts/stack.go.txt")

// signals is another file for package runtime, for systems with timers of CPU time.
var signals = rt.Patch("tick/signal.go.txt")

// registers has what differs between processors, for those that have timers.
var registers = map[string][]byte{
	"amd64":   rt.Patch("tick/signal_amd64.go.txt"),
	"arm64":   rt.Patch("tick/signal_arm64.go.txt"),
	"riscv64": rt.Patch("tick/signal_riscv64.go.txt"),
}

// signalCalls are its calls.
var signalCalls = []call{
	{"signal_unix.go", "\tdelayedSignal := *cgo_yield != nil && mp != nil && gsignal.stack == mp.g0.stack",
		"; if (sig == _SIGPROF || sig == _SIGSEGV || sig == _SIGBUS) && goprofinstr_handled(sig, info, c, gp) { return }"},
	{"runtime2.go", "\tlockedg         guintptr", "; goprofinstr goprofinstr_m"},        // of m
	{"proc.go", "\t// Release the P.\n\thandoffp(releasep())", "; goprofinstr_end(mp)"}, // in mexit
	{"signal_unix.go", "\tif gp == nil || (gp.m != nil && gp.m.isExtraInC) {\n\t\tif sig == _SIGPROF {", " goprofinstr_outside(info)"},
}

// audits is another file for package runtime, for audited functions.
var audits = rt.Patch("audit/runtime.go.txt")

// auditCalls are a field.
var auditCalls = []call{{"runtime2.go", "\tgcAssistBytes int64", "; goprofinstr_audits goprofinstr_g_audits"}} // of g

// ticker is the file for other systems.
var ticker = rt.Patch("tick/ticker.go.txt")

// tickerCalls are its calls.
var tickerCalls = []call{
	{"proc.go", "\t\t// retake P's blocked in syscalls\n\t\t// and preempt long running G's\n\t\t", "goprofinstr_monitor(now); "},
}

// Names of the files in package runtime, besides that of hooks.
const (
	shardsFile  = "goprofinstr_shards.go"
	samplerFile = "goprofinstr_sampler.go"
	auditFile   = "goprofinstr_audit.go"
	// stacksFile is for the samplerFile, registersFile for that of systems with timers.
	stacksFile    = "goprofinstr_stack.go"
	registersFile = "goprofinstr_registers.go"
)

// RuntimeHooks returns the files of package runtime with hooks that tell package rt of
// activations that are abandoned, give it shards to count in, and tell it when to sample, by absolute name. Source returns the contents of a file. The result
// is nil if this toolchain's runtime is not as the hooks expect; then abandoned activations can only be counted. If it
// is not as the shards expect they are not there, and -atomic uses atomic instructions; and so it is with sampling.
//
// With perTest there are also files of package testing, which tell package rt of tests, unless that is not as expected. Package runtime
// stays the same: the standard library need not be compiled again.
func RuntimeHooks(tc Toolchain, perTest bool, source func(name string) ([]byte, error)) map[string][]byte {
	dir := filepath.Join(tc.GOROOT, "src", "runtime")
	files := insert(dir, map[string][]byte{filepath.Join(dir, "goprofinstr.go"): hooks}, hookCalls, source)
	if files == nil {
		return nil
	}
	add := func(name string, text []byte, calls []call) {
		all := maps.Clone(files)
		all[filepath.Join(dir, name)] = text
		if all = insert(dir, all, calls, source); all != nil {
			files = all
		}
	}
	add(shardsFile, shards, shardCalls)
	add(auditFile, audits, auditCalls)
	if perTest {
		files = addTests(tc, files, source)
	}
	if tc.hasTimers() {
		files[filepath.Join(dir, registersFile)] = registers[tc.GOARCH]
		add(samplerFile, signals, signalCalls)
	} else {
		add(samplerFile, ticker, tickerCalls)
	}
	if CanSample(files) {
		files[filepath.Join(dir, stacksFile)] = stacks
		files = addMappings(tc, files, source)
	} else {
		delete(files, filepath.Join(dir, registersFile)) // it is of no use
	}
	return files
}

// hasTimers reports whether the system has timers of CPU time, and siginfo is laid out as signals has it.
func (tc Toolchain) hasTimers() bool {
	return tc.GOOS == "linux" && registers[tc.GOARCH] != nil
}

// tags returns the build tags of the files of package rt that work together with hooks.
func tags(hooks map[string][]byte) []string {
	var tags []string
	if hooks != nil {
		tags = append(tags, rt.RuntimeTag)
	}
	if HasShards(hooks) && !CanTellTests(hooks) { // what a test has counted is looked for in the arrays
		tags = append(tags, rt.ShardsTag)
	}
	if CanSample(hooks) {
		tags = append(tags, rt.SamplerTag)
	}
	if CanTellTests(hooks) {
		tags = append(tags, rt.TestsTag)
	}
	if has(hooks, auditFile) {
		tags = append(tags, rt.AuditTag)
	}
	return tags
}

// CanSample reports whether the result of RuntimeHooks tells package rt when to sample.
func CanSample(hooks map[string][]byte) bool { return has(hooks, samplerFile) }

// HasShards reports whether the result of RuntimeHooks gives package rt shards to count in.
func HasShards(hooks map[string][]byte) bool { return has(hooks, shardsFile) }

func has(hooks map[string][]byte, file string) bool {
	for name := range hooks {
		if filepath.Base(name) == file {
			return true
		}
	}
	return false
}

// insert inserts calls into files, of which those that are not there yet are in dir, or returns nil if one has no place.
func insert(dir string, files map[string][]byte, calls []call, source func(name string) ([]byte, error)) map[string][]byte {
	for _, c := range calls {
		name := filepath.Join(dir, c.file)
		src := files[name]
		if src == nil {
			var err error
			if src, err = source(name); err != nil {
				return nil
			}
		}
		if bytes.Count(src, []byte(c.after)) != 1 {
			return nil
		}
		at := bytes.Index(src, []byte(c.after)) + len(c.after)
		files[name] = fmt.Appendf(nil, "%s%s%s", src[:at], c.insert, src[at:])
	}
	return files
}
