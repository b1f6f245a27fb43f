package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goprofinstr/goprofinstr/internal/show"
)

// An entry is a module, or a package of the standard library, of a corpus.
type entry struct {
	Kind      string   // module or std
	Dir       string   // of the module
	TestFlags []string // under which its tests pass

	// Packages whose block counts are the same in every run with GOMAXPROCS=1, by import path where there is more to
	// say. They are so as they are, without some tests, or with a runtime without random order.
	Deterministic                 []string
	DeterministicWithSkip         map[string]condition
	DeterministicWithFixedRuntime map[string]condition
}

type condition struct {
	Skip  []string // tests
	GCOff bool
}

// A corpusRun is one comparison of a package of the corpus.
type corpusRun struct {
	tests
	how string
}

// corpus compares the packages of a corpus and prints a table.
func (r *runner) corpus(file, dir, overlay, filter string, most int) (different bool, err error) {
	if overlay == "" {
		return false, errors.New("-corpus needs the overlay of -fixed-runtime")
	}
	match, err := regexp.Compile(filter)
	if err != nil {
		return false, err
	}
	runs, err := readCorpus(file, dir, overlay)
	if err != nil {
		return false, err
	}
	t := show.Table{Left: 1}
	t.Row("package", "blocks", "equal", "abandoned", "other", "unstable", "not known", "lines equal")
	for _, c := range runs {
		if !match.MatchString(c.packages[0]) {
			continue
		}
		name := c.packages[0] + " " + c.how
		fmt.Fprintln(os.Stderr, name)
		d, err := r.compare(c.tests)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			t.Row(name, "failed")
			different = true
			continue
		}
		abandoned, unstable, other := d.numbers()
		cells := []string{name}
		for _, n := range []int{d.blocks, d.equal(), abandoned, other, unstable, d.missing} {
			cells = append(cells, strconv.Itoa(n))
		}
		t.Row(append(cells, strconv.FormatBool(d.identical))...)
		different = different || d.different()
		d.printDifferences(os.Stderr, most)
	}
	return different, t.Write(os.Stdout)
}

// readCorpus returns the comparisons of a corpus whose modules lie in dir.
func readCorpus(file, dir, overlay string) ([]corpusRun, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var entries []entry
	if err := json.Unmarshal(data, &entries); err != nil {
		return nil, fmt.Errorf("%s: %v", file, err)
	}
	var runs []corpusRun
	for _, e := range entries {
		add := func(pkg, how, overlay string, c condition) {
			t := tests{packages: []string{pkg}, flags: e.TestFlags, overlay: overlay, gcOff: c.GCOff}
			if e.Kind == "module" {
				t.dir = filepath.Join(dir, e.Dir)
			}
			if len(c.Skip) > 0 {
				t.skip = "^(" + strings.Join(c.Skip, "|") + ")$"
			}
			runs = append(runs, corpusRun{t, how})
		}
		for _, pkg := range e.Deterministic {
			add(pkg, "", "", condition{})
		}
		for _, pkg := range slices.Sorted(maps.Keys(e.DeterministicWithSkip)) {
			add(pkg, "(tests skipped)", "", e.DeterministicWithSkip[pkg])
		}
		for _, pkg := range slices.Sorted(maps.Keys(e.DeterministicWithFixedRuntime)) {
			add(pkg, "(fixed runtime)", overlay, e.DeterministicWithFixedRuntime[pkg])
		}
	}
	slices.SortStableFunc(runs, func(a, b corpusRun) int { return cmp.Compare(a.packages[0], b.packages[0]) })
	return runs, nil
}
