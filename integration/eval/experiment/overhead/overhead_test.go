package overhead

import (
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// TestFailure runs a benchmark that there is not.
func TestFailure(t *testing.T) {
	if testing.Short() {
		t.Skip("builds other programs")
	}
	w := &lab.Workshop{Dir: t.TempDir(), Scratch: t.TempDir(), Modes: lab.Modes[:2]}
	o := &Options{rounds: 1, runtime: 1}
	targets := []*lab.Target{{Entry: &lab.Entry{Suite: "std"}, Pkg: "container/heap",
		Jobs: []lab.Job{{Suite: "std", Bench: "Absent", Procs: 1}}}}
	r := new(result.Report)
	if err := newEvaluation(w, o, r, targets).run(targets); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := result.Print(&out, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"FAIL container/heap.Absent, plain: 0 benchmarks", "no mean: 1 failed"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if !r.Failed() {
		t.Error("it is not known as failed")
	}
}
