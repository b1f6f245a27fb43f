package wrapcost

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// A wrapCost has the tables of what goprofinstr costs besides running what it has built.
type wrapCost struct {
	*lab.Workshop
	report                 *result.Report
	seconds, memory, tests *result.Measure
}

func newWrapCost(w *lab.Workshop, r *result.Report) *wrapCost {
	cold := []string{"cold", "warm"}
	return &wrapCost{
		Workshop: w,
		report:   r,
		seconds: &result.Measure{Title: "Time of wrap before the go command starts, per 10,000 lines, in s",
			Unit: "s", Columns: cold, Absolute: true},
		memory: &result.Measure{
			Title: "Peak memory of wrap, or of what it runs, before the go command starts, in MB",
			Unit:  "MB", Columns: cold, Absolute: true,
		},
		tests: &result.Measure{Title: "Time of go test -count=1 and of wrap go test, when all is " +
			"in the build cache", Unit: "s",
			Columns: []string{lab.Plain, "exact"}},
	}
}

// testedEntries returns the modules of the list that have tests to run and match.
func testedEntries(list []lab.Entry, match *regexp.Regexp) []*lab.Entry {
	var some []*lab.Entry
	for i := range list {
		if e := &list[i]; len(e.Tests) > 0 && match.MatchString(e.Suite+" "+e.Module) {
			some = append(some, e)
		}
	}
	return some
}

// measure measures wrap on modules. What fails on one of them is in the report.
func (c *wrapCost) measure(entries []*lab.Entry, rounds int) error {
	c.report.Measures = append(c.report.Measures, c.seconds, c.memory, c.tests)
	for _, e := range entries {
		fmt.Fprintln(os.Stderr, e.Module)
		dir, lines, err := prepareTests(e, c.Dir)
		name := fmt.Sprintf("%s, %d lines", e.Module, lines)
		seconds, memory, tests := result.NewRow(e.Suite, name), result.NewRow(e.Suite,
			name), result.NewRow(e.Suite, e.Module)
		c.seconds.Rows = append(c.seconds.Rows, seconds)
		c.memory.Rows = append(c.memory.Rows, memory)
		c.tests.Rows = append(c.tests.Rows, tests)
		if err != nil {
			seconds.Add("cold", 0, err)
			continue
		}
		if err := c.measureWrap(seconds, memory, e, dir, lines, rounds); err != nil {
			return err
		}
		c.measureTests(tests, e, dir, rounds)
		if err := c.report.Save(); err != nil {
			return err
		}
	}
	return nil
}

// prepareTests makes the module's folder and counts the lines that wrap instruments in it.
func prepareTests(e *lab.Entry, work string) (dir string, lines int, err error) {
	if dir, err = e.Prepare(work); err != nil {
		return "", 0, err
	}
	lines, err = countLines(e, dir)
	return dir, lines, err
}

// measureWrap measures what wrap does before it starts the go command, which is all that it does with -n.
func (c *wrapCost) measureWrap(seconds, memory *result.Row, e *lab.Entry, dir string, lines, rounds int) error {
	for range rounds {
		env, err := c.newCaches()
		if err != nil {
			return err
		}
		for _, column := range []string{"cold", "warm"} { // the second time with what the first has left
			s, mb, err := c.wrapOnly(e, dir, env)
			seconds.Add(column, s*10_000/float64(lines), err)
			memory.Add(column, mb, err)
		}
	}
	return nil
}

// wrapOnly runs wrap -n and returns the seconds it took and the peak of its memory in MB.
func (c *wrapCost) wrapOnly(e *lab.Entry, dir string, env []string) (seconds, mb float64, err error) {
	args := []string{"wrap", "-n", "-o", c.RunDir(), "go", "test"}
	cmd := exec.Command(c.Goprofinstr, slices.Concat(args, e.BuildFlags, e.Tests)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	start := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, lab.LastLines(out))
	}
	return time.Since(start).Seconds(), peakMemory(cmd.ProcessState) / 1e6, nil
}

// newCaches returns environment variables for a build cache that has the standard library in it, and an empty
// cache folder for goprofinstr.
func (c *wrapCost) newCaches() (env []string, err error) {
	std, cold := filepath.Join(c.Dir, "cache-std"), filepath.Join(c.Dir, "cache-cold")
	if _, err := os.Stat(std); err != nil {
		part := std + ".part" // renamed when it is complete
		if err := compileStd(part); err != nil {
			return nil, err
		}
		if err := os.Rename(part, std); err != nil {
			return nil, err
		}
	}
	if err := os.RemoveAll(cold); err != nil {
		return nil, err
	}
	build := filepath.Join(cold, "build")
	env = []string{"GOWORK=off", "GOCACHE=" + build, "XDG_CACHE_HOME=" + filepath.Join(cold, "user")}
	return env, linkTree(build, std)
}

func compileStd(cache string) error {
	cmd := exec.Command("go", "build", "std")
	cmd.Dir, cmd.Env = os.TempDir(), append(os.Environ(), "GOWORK=off", "GOCACHE="+cache)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build std: %v\n%s", err, lab.LastLines(out))
	}
	return nil
}

// linkTree makes a copy of a folder whose files are hard links: what lies in a build cache is not changed any more.
func linkTree(to, from string) error {
	return filepath.WalkDir(from, func(name string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := to + strings.TrimPrefix(name, from)
		if d.IsDir() {
			return os.MkdirAll(to, 0o777)
		}
		return os.Link(name, to)
	})
}

// countLines returns the number of lines of what wrap instruments: the main module's packages in the build,
// without tests.
func countLines(e *lab.Entry, dir string) (int, error) {
	const files = `{{if .Module}}{{if .Module.Main}}{{range .GoFiles}}{{$.Dir}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}`
	out, err := lab.GoList(dir, files, slices.Concat([]string{"-deps", "-test"}, e.BuildFlags, e.Tests)...)
	if err != nil {
		return 0, err
	}
	lines := 0
	// A package occurs again as each test's variant, with the test files, and a test's main program lies in
	// the build cache.
	names := strings.Split(out, "\n")
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if strings.HasSuffix(name, "_test.go") || !strings.HasSuffix(name, ".go") {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return 0, err
		}
		lines += strings.Count(string(data), "\n")
	}
	return lines, nil
}

// measureTests measures go test, plainly and wrapped, in turn. The first time, which compiles, does not count.
func (c *wrapCost) measureTests(r *result.Row, e *lab.Entry, dir string, rounds int) {
	out := c.RunDir()
	defer os.RemoveAll(out)
	test := slices.Concat([]string{"go", "test", "-count=1"}, e.BuildFlags, e.Tests)
	commands := map[string][]string{
		lab.Plain: test,
		"exact":   append([]string{c.Goprofinstr, "wrap", "-o", out}, test...),
	}
	for round := range rounds + 1 {
		for _, column := range []string{lab.Plain, "exact"} {
			if r.Failed[column] != "" {
				continue
			}
			start := time.Now()
			err := lab.GoCommand(dir, commands[column]...)
			if round > 0 || err != nil {
				r.Add(column, time.Since(start).Seconds(), err)
			}
		}
	}
}
