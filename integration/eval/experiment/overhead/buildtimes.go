package overhead

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// timeBuilds measures how long building the test binary of a package takes in every mode, in turn. It
// builds after an edit in the package and with all else in the build cache. The edit is a comment at the
// end of a file, another one in every round. The package must lie in a module, whose files are a copy, and
// must have been built in all modes before.
func (e *evaluation) timeBuilds(r *result.Row, t *lab.Target, b *lab.Build, rounds int) {
	file, err := someFile(t, b)
	if err != nil {
		r.Add(lab.Plain, 0, err)
		return
	}
	original, err := os.ReadFile(file)
	if err != nil {
		r.Add(lab.Plain, 0, err)
		return
	}
	defer os.WriteFile(file, original, 0o666)
	modes := e.Built()
	for round := range rounds {
		if err := edit(file, original); err != nil {
			r.Add(lab.Plain, 0, err)
			return
		}
		for i := range modes {
			m := modes[(round+i)%len(modes)]
			if r.Failed[m] == "" {
				seconds, err := e.buildTime(t, b, b.Mode(m))
				r.Add(m, seconds, err)
			}
		}
	}
}

// edit appends a comment to a file that no build has seen before.
func edit(file string, original []byte) error {
	return os.WriteFile(file, fmt.Appendf(slices.Clip(original), "\n// edited %d\n", time.Now().UnixNano()), 0o666)
}

func (e *evaluation) buildTime(t *lab.Target, b *lab.Build, m *lab.Mode) (seconds float64, err error) {
	if err := b.Failed[m.Name]; err != nil {
		return 0, err
	}
	start := time.Now()
	err = lab.GoCommand(b.Dir, m.BuildCommand(e.Goprofinstr, t, filepath.Join(e.Scratch, "timed.test"))...)
	return time.Since(start).Seconds(), err
}

// someFile returns the first file of a package.
func someFile(t *lab.Target, b *lab.Build) (string, error) {
	name, err := lab.GoList(b.Dir, "{{index .GoFiles 0}}", append(slices.Clip(t.BuildFlags), t.Pkg)...)
	return filepath.Join(b.PkgDir, name), err
}
