package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// timeBuilds measures how long building the test binary of a package takes in every mode, in turn, after an edit in the package and
// with all else in the build cache. The edit is a comment at the end of a file, another one in every round. The package
// must lie in a module, whose files are a copy, and must have been built in all modes before.
func (w *workshop) timeBuilds(r *row, t *target, b *build, rounds int) {
	file, err := t.someFile(b)
	if err != nil {
		r.add(plain, 0, err)
		return
	}
	original, err := os.ReadFile(file)
	if err != nil {
		r.add(plain, 0, err)
		return
	}
	defer os.WriteFile(file, original, 0o666)
	modes := w.built()
	for round := range rounds {
		if err := edit(file, original); err != nil {
			r.add(plain, 0, err)
			return
		}
		for i := range modes {
			m := modes[(round+i)%len(modes)]
			if r.Failed[m] == "" {
				seconds, err := w.buildTime(t, b, findMode(m))
				r.add(m, seconds, err)
			}
		}
	}
}

// edit appends a comment to a file that no build has seen before.
func edit(file string, original []byte) error {
	return os.WriteFile(file, fmt.Appendf(slices.Clip(original), "\n// edited %d\n", time.Now().UnixNano()), 0o666)
}

func (w *workshop) buildTime(t *target, b *build, m *mode) (seconds float64, err error) {
	if err := b.failed[m.name]; err != nil {
		return 0, err
	}
	start := time.Now()
	err = goCommand(b.dir, m.buildCommand(w.goprofinstr, t, filepath.Join(w.scratch, "timed.test"))...)
	return time.Since(start).Seconds(), err
}

// someFile returns the first file of a package.
func (t *target) someFile(b *build) (string, error) {
	name, err := goList(b.dir, "{{index .GoFiles 0}}", append(slices.Clip(t.BuildFlags), t.pkg)...)
	return filepath.Join(b.pkgDir, name), err
}
