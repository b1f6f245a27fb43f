package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/coverprofile"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// tests are a run of go test.
type tests struct {
	dir      string // where go test runs
	packages []string
	flags    []string
	skip     string // tests not to run
	overlay  string // file for -overlay, or ""
	gcOff    bool
}

// args returns the arguments of the go command, up to the output of the coverage profile.
func (t *tests) args(file string) []string {
	args := []string{"test", "-count=1", "-covermode=count", "-coverprofile=" + file}
	args = append(args, t.flags...)
	if t.skip != "" {
		args = append(args, "-skip="+t.skip)
	}
	if t.overlay != "" {
		args = append(args, "-overlay="+t.overlay)
	}
	return append(args, t.packages...)
}

// A runner runs tests plainly and wrapped.
type runner struct {
	tool string // goprofinstr
	work string // for its files
}

// A difference is a block whose counts differ.
type difference struct {
	extent         string
	plain, wrapped string // counts, or none
	function       *profile.Function
	unstable       bool // differs between two plain runs, too
}

// none stands for the count of a block that a profile does not have.
const none = "none"

// abandoned reports whether activations of the block's function have been abandoned.
func (d *difference) abandoned() bool { return d.function != nil && d.function.Abandoned != 0 }

// compare runs tests both ways.
func (r *runner) compare(t tests) (*result, error) {
	plain, again, wrapped := filepath.Join(r.work, "plain"), filepath.Join(r.work, "again"), filepath.Join(r.work, "wrapped")
	out := filepath.Join(r.work, "out")
	if err := t.run("go", append(t.args(plain), "-vet=off")...); err != nil {
		return nil, err
	}
	if err := t.run(r.tool, append([]string{"wrap", "-o", out, "go"}, t.args(wrapped)...)...); err != nil {
		return nil, err
	}
	d, err := compareFiles(plain, wrapped)
	if err != nil {
		return nil, err
	}
	if err := d.explain(out); err != nil {
		return nil, err
	}
	if len(d.differences) == 0 {
		return d, nil
	}
	// Without inlining, so that data has other addresses: those of types, for one, decide on the order of maps.
	t.flags = append(slices.Clip(t.flags), "-gcflags=-l")
	if err := t.run("go", append(t.args(again), "-vet=off")...); err != nil {
		return nil, err
	}
	return d, d.findUnstable(plain, again)
}

// run runs a command where the tests are.
func (t *tests) run(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = t.dir
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	if t.gcOff {
		cmd.Env = append(cmd.Env, "GOGC=off")
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %v\n%s", name, strings.Join(args, " "), err, tail(out))
	}
	return nil
}

// tail returns the end of a command's output.
func tail(out []byte) []byte {
	const most = 3000
	return out[max(0, len(out)-most):]
}

// A result is what comparing two profiles has shown.
type result struct {
	blocks      int
	identical   bool // line for line
	differences []difference
	missing     int // blocks that goprofinstr says it does not know
}

func compareFiles(plain, wrapped string) (*result, error) {
	want, err := os.ReadFile(plain)
	if err != nil {
		return nil, err
	}
	got, err := os.ReadFile(wrapped)
	if err != nil {
		return nil, err
	}
	d := &result{identical: bytes.Equal(want, got)}
	wantCounts, extents := counts(want)
	gotCounts, gotExtents := counts(got)
	d.blocks = len(extents)
	for _, e := range extents {
		n, ok := gotCounts[e]
		if !ok {
			n = none
		}
		if n != wantCounts[e] {
			d.differences = append(d.differences, difference{extent: e, plain: wantCounts[e], wrapped: n})
		}
	}
	for _, e := range gotExtents {
		if _, ok := wantCounts[e]; !ok {
			d.differences = append(d.differences, difference{extent: e, plain: none, wrapped: gotCounts[e]})
		}
	}
	return d, nil
}

// counts returns the count of each block of a coverage profile, and the blocks in order. Blocks that occur
// again (of several test binaries) are told apart by their number.
func counts(data []byte) (map[string]string, []string) {
	counts := make(map[string]string)
	times := make(map[string]int)
	var extents []string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		i := strings.LastIndex(line, " ")
		if strings.HasPrefix(line, "mode: ") || i < 0 {
			continue
		}
		extent := line[:i]
		if times[extent]++; times[extent] > 1 {
			extent += fmt.Sprintf(" #%d", times[extent])
		}
		counts[extent] = line[i+1:]
		extents = append(extents, extent)
	}
	return counts, extents
}

// explain finds the functions that the differences are in, from the profile in out.
func (d *result) explain(out string) error {
	p, err := profile.Load(out)
	if err != nil {
		return err
	}
	plan, err := coverprofile.ReadPlan(out)
	if err != nil {
		return err
	}
	c, err := coverprofile.Derive(out, p, plan, plan.Tool())
	if err != nil {
		return err
	}
	unknown := make(map[string]bool)
	for _, m := range c.Missing {
		for _, b := range m.Extents {
			unknown[b.String()] = true
		}
	}
	d.differences = slices.DeleteFunc(d.differences, func(x difference) bool {
		missing := x.wrapped == none && unknown[x.extent]
		if missing {
			d.missing++
		}
		return missing
	})
	functions := make(map[string]*profile.Function)
	for _, t := range c.Tests {
		for _, b := range t.Extents {
			functions[b.String()] = b.Function
		}
	}
	for i := range d.differences {
		extent, _, _ := strings.Cut(d.differences[i].extent, " #")
		d.differences[i].function = functions[extent]
	}
	return nil
}

// findUnstable marks the differences in blocks whose counts two plain runs do not agree on.
func (d *result) findUnstable(plain, again string) error {
	aa, err := compareFiles(plain, again)
	if err != nil {
		return err
	}
	unstable := make(map[string]bool)
	for _, x := range aa.differences {
		unstable[x.extent] = true
	}
	for i := range d.differences {
		d.differences[i].unstable = unstable[d.differences[i].extent]
	}
	return nil
}

// numbers returns how many blocks differ in functions with abandoned activations, how many are unstable,
// and how many differ besides.
func (d *result) numbers() (abandoned, unstable, other int) {
	for i := range d.differences {
		switch x := &d.differences[i]; {
		case x.unstable:
			unstable++
		case x.abandoned():
			abandoned++
		default:
			other++
		}
	}
	return abandoned, unstable, other
}

func (d *result) equal() int { return d.blocks - len(d.differences) - d.missing }

func (d *result) different() bool {
	_, unstable, _ := d.numbers()
	return len(d.differences) > unstable
}

func (d *result) print(w io.Writer, name string, show int) {
	abandoned, unstable, other := d.numbers()
	fmt.Fprintf(w, "%s: %d blocks, %d equal, %d different in functions with abandoned activations, %d in others, %d unstable, %d not known",
		name, d.blocks, d.equal(), abandoned, other, unstable, d.missing)
	if d.identical {
		fmt.Fprint(w, "; line for line equal")
	}
	fmt.Fprintln(w)
	d.printDifferences(w, show)
}

func (d *result) printDifferences(w io.Writer, show int) {
	for i, x := range d.differences {
		if i == show {
			fmt.Fprintf(w, "\t… and %d more\n", len(d.differences)-show)
			break
		}
		note := ""
		if x.function != nil {
			note = " in " + x.function.Table.Name
			if x.abandoned() {
				note += fmt.Sprintf(" (%d abandoned)", x.function.Abandoned)
			}
		}
		if x.unstable {
			note += ", unstable"
		}
		fmt.Fprintf(w, "\t%s: go test %s, goprofinstr %s%s\n", x.extent, x.plain, x.wrapped, note)
	}
}
