package target

import (
	"maps"
	"path/filepath"

	"github.com/goprofinstr/goprofinstr/rt"
)

// testingHooks is a file for package testing, which knows what test is running.
var testingHooks = rt.Patch("pertest/testing.go.txt")

const testsFile = "goprofinstr_tests.go"

// testCalls are its calls. They stand on lines that are there, so that failing tests print the same.
var testCalls = []call{
	{"testing.go", "fuzzTargets []InternalFuzzTarget, examples []InternalExample) *M {", " goprofinstr_start(deps.ImportPath())"},
	{"testing.go", "\tt.start = highPrecisionTimeNow()\n\tt.resetRaces()\n\t", "goprofinstr_enter(&t.common); "},
	{"testing.go", "\t\t\tif t.isParallel {\n\t\t\t\tparallelStop.Add(1)\n\t\t\t}\n\t\t\t", "goprofinstr_leave(&t.common); "},
	// In Parallel, where the test waits for its parent to end.
	{"testing.go", "\t\tt.chatty.Updatef(t.name, \"=== PAUSE %s\\n\", t.name)\n\t}\n\trunning.Delete(t.name)\n\n\t", "goprofinstr_leave(&t.common); "},
	{"testing.go", "\t\t\t// Release the parallel subtests.\n\t\t\t", "goprofinstr_parallel(&t.common); "},
	{"testing.go", "\t\t\tfor _, sub := range t.sub {\n\t\t\t\t<-sub.signal\n\t\t\t}", "; goprofinstr_joined(&t.common)"},

	{"fuzz.go", "\tf.start = highPrecisionTimeNow()\n\tf.resetRaces()\n\t", "goprofinstr_enter(&f.common); "},
	{"fuzz.go", "\t\t\t\t// reported to the user. See issue 41479.\n\t\t\t\t", "goprofinstr_leave(&f.common); "},
	{"fuzz.go", "\t\t\tf.tstate.release()\n\t\t\t", "goprofinstr_parallel(&f.common); "},
	{"fuzz.go", "\t\t\tfor _, sub := range f.sub {\n\t\t\t\t<-sub.signal\n\t\t\t}", "; goprofinstr_joined(&f.common)"},

	{"run_example.go", "func runExample(eg InternalExample) (ok bool) {", " goprofinstr_example(eg.Name); defer goprofinstr_example(\"\")"},
}

// addTests adds files of package testing to those of package runtime, if it is as expected.
func addTests(tc Toolchain, files map[string][]byte, source func(name string) ([]byte, error)) map[string][]byte {
	if !tc.hasTimers() { // these are the systems on which the counters are in the run file, too
		return files
	}
	dir := TestingDir(tc)
	all := maps.Clone(files)
	all[filepath.Join(dir, testsFile)] = testingHooks
	if all = insert(dir, all, testCalls, source); all == nil {
		return files
	}
	return all
}

// TestingDir returns the folder of package testing.
func TestingDir(tc Toolchain) string { return filepath.Join(tc.GOROOT, "src", "testing") }

// CanTellTests reports whether the result of RuntimeHooks tells package rt of tests.
func CanTellTests(hooks map[string][]byte) bool { return has(hooks, testsFile) }
