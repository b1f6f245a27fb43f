package integration

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/integration/eval/accuracy"
)

// TestNever runs benchmarks exactly and sampled. No outcome of a condition that the exact run has seen may be called "never".
// That holds at sites that are counted and at those that are sampled for some of the time. It holds in activations that panics
// end, of which the parser has some. But something is known.
func TestNever(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("needs native probes")
	}
	for _, test := range []struct{ backend, pkg, bench string }{ // eval scale has eleven more
		{"native", "go/parser", "^BenchmarkParse$"},
		{"portable", "go/parser", "^BenchmarkParse$"},
	} {
		t.Run(test.backend+"/"+test.pkg, func(t *testing.T) {
			dir := copyProgram(t, "sampled")
			profileOf := func(mode string, flags ...string) *profile.Profile {
				args := append([]string{"wrap", "-mode", mode, "-o", mode, "-pkg", test.pkg}, flags...)
				run(t, dir, goprofinstr, append(args,
					"go", "test", "-run", "^$", "-bench", test.bench, "-benchtime", "100x", "-cpu", "1", test.pkg)...)
				p, err := profile.Load(filepath.Join(dir, mode))
				if err != nil {
					t.Fatal(err)
				}
				return p
			}
			exact, sampled := profileOf("exact"), profileOf("sampled", "-backend", test.backend)
			if why := sampled.Unsettled(); why != "" {
				t.Fatalf("nothing is known: %s", why)
			}
			seen, wrong, err := accuracy.Outcomes(exact, sampled)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range wrong {
				t.Errorf("called never: %v", m)
			}
			never, all := outcomes(sampled)
			t.Logf("%d outcomes seen in exact counts; of %d, %d are called never", seen, all, never)
			if never == 0 {
				t.Error("no outcome is known never to have happened")
			}
		})
	}
}

// outcomes returns how many outcomes of conditions are called never, and how many there are.
func outcomes(p *profile.Profile) (never, all int) {
	for _, f := range p.Functions() {
		for _, c := range f.Conditions() {
			never, all = never+c.Never(), all+2
		}
	}
	return never, all
}
