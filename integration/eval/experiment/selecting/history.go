package selecting

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
)

// A history is a clone of a repository.
type history struct {
	*lab.Workshop
	name, dir string
}

func clone(w *lab.Workshop, repository string) (*history, error) {
	h := &history{w, nameOf(repository), filepath.Join(w.Scratch, lab.Flat(nameOf(repository)))}
	out, err := exec.Command("git", "clone", "--quiet", repository, h.dir).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("git clone %s: %v\n%s", repository, err, lab.LastLines(out))
	}
	return h, nil
}

// commits returns the newest commits that change Go files and are no merges.
func (h *history) commits(n int) ([]string, error) {
	out, err := h.run("git", "log", "--no-merges", "--format=%H", "-n", strconv.Itoa(n), "--", "*.go")
	return strings.Fields(string(out)), err
}

// An outcome is what was found of a commit, or of several.
type outcome struct {
	commits, skipped         int
	tests, selected, changed int
	missed, late             []string
	alone, aloneSelected     float64 // seconds
	goAll, goSelected        float64
}

func (o *outcome) add(p *outcome) {
	o.commits++
	o.tests, o.selected, o.changed = o.tests+p.tests, o.selected+p.selected, o.changed+p.changed
	o.missed, o.late = append(o.missed, p.missed...), append(o.late, p.late...)
	o.alone, o.aloneSelected = o.alone+p.alone, o.aloneSelected+p.aloneSelected
	o.goAll, o.goSelected = o.goAll+p.goAll, o.goSelected+p.goSelected
}

// measure measures one commit.
func (h *history) measure(commit string, twice bool) (*outcome, error) {
	parent := commit + "^"
	if err := h.profile(parent); err != nil {
		return nil, err
	}
	before, err := h.test(nil)
	if err != nil {
		return nil, err
	}
	if err := h.checkOut(commit); err != nil {
		return nil, err
	}
	chosen, err := h.choose(parent)
	if err != nil {
		return nil, err
	}
	after, err := h.test(nil)
	if err != nil {
		return nil, err
	}
	commands, err := h.run(h.Goprofinstr, "select", "-diff", parent, h.out())
	if err != nil {
		return nil, err
	}
	some, err := h.test(commands)
	if err != nil {
		return nil, err
	}
	o := &outcome{
		tests: chosen.Totals.Tests, selected: chosen.Totals.Selected, goAll: after.seconds, goSelected: some.seconds,
		alone: chosen.Totals.Seconds, aloneSelected: chosen.Totals.Took,
	}
	for test := range after.results {
		if after.results[test] == before.results[test] {
			continue
		}
		o.changed++
		if !chosen.has(test) {
			o.missed = append(o.missed, fmt.Sprintf("%.12s %s", commit, test))
		}
	}
	if twice {
		return o, h.again(commit, chosen, o)
	}
	return o, nil
}

// again selects with the commit's own profile, and notes what is selected now and was not.
func (h *history) again(commit string, first *selection, o *outcome) error {
	if err := h.profile(commit); err != nil {
		return err
	}
	second, err := h.choose(commit + "^")
	if err != nil {
		return err
	}
	for _, p := range second.Packages {
		for _, t := range p.Tests {
			if !first.has(test{p.Package, t}) {
				o.late = append(o.late, fmt.Sprintf("%.12s %s", commit, test{p.Package, t}))
			}
		}
	}
	return nil
}

// out returns the name of the folder for profiles.
func (h *history) out() string { return filepath.Join(h.Scratch, "selecting.out") }

func (h *history) checkOut(rev string) error {
	_, err := h.run("git", "checkout", "--quiet", "--force", "--detach", rev)
	return err
}

// profile checks a revision out and profiles its tests, which may fail.
func (h *history) profile(rev string) error {
	if err := errors.Join(os.RemoveAll(h.out()), h.checkOut(rev)); err != nil {
		return err
	}
	_, err := h.run(h.Goprofinstr, "wrap", "-per-test", "-alone", "-o", h.out(), "go", "test", "./...")
	if !profiledir.Is(h.out()) {
		return err
	}
	return nil
}

// run runs a command in the clone.
func (h *history) run(name string, args ...string) ([]byte, error) {
	var stderr bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stderr = h.dir, &stderr
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, lab.LastLines(append(out, stderr.Bytes()...)))
	}
	return out, err
}

// A selection is the JSON of select.
type selection struct {
	Packages []struct {
		Package string
		All     bool
		Tests   []string
	}
	Compiled []string
	Totals   struct {
		Tests, Selected int
		Seconds         float64
		Took            float64 `json:"selected_seconds"`
	}
}

func (h *history) choose(rev string) (*selection, error) {
	out, err := h.run(h.Goprofinstr, "select", "-diff", rev, "-format", "json", h.out())
	if err != nil {
		return nil, err
	}
	s := new(selection)
	return s, json.Unmarshal(out, s)
}

// has reports whether a test is selected, or for the result of a build, a package.
func (s *selection) has(t test) bool {
	for _, p := range s.Packages {
		if p.Package == t.pkg && (p.All || t.name == "" || slices.Contains(p.Tests, t.name)) {
			return true
		}
	}
	return t.name == "" && slices.Contains(s.Compiled, t.pkg)
}

// A test is one at top level; that without a name is a package that cannot be built, or fails otherwise.
type test struct{ pkg, name string }

func (t test) String() string { return t.pkg + "." + t.name }

// results are those of go test.
type results struct {
	results map[test]string // with those of subtests, in the order of their names
	seconds float64         // of the test binaries
}

// test runs all tests, or the commands of a shell.
func (h *history) test(commands []byte) (*results, error) {
	cmd := exec.Command("go", "test", "./...")
	if commands != nil {
		cmd = exec.Command("sh", "-c", string(commands))
	}
	cmd.Dir, cmd.Env = h.dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-json -count=1")
	out, err := cmd.Output()
	if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) {
		return nil, err
	}
	return readResults(bytes.NewReader(out))
}

// readResults reads the output of go test -json.
func readResults(r io.Reader) (*results, error) {
	all := &results{results: make(map[test]string)}
	var lines []string
	for d := json.NewDecoder(r); ; {
		var e struct {
			Action, Package, Test, ImportPath string
			Elapsed                           float64
		}
		if err := d.Decode(&e); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go test -json: %w", err)
		}
		if e.Action != "pass" && e.Action != "fail" && e.Action != "skip" {
			continue
		}
		if e.Test == "" {
			all.seconds += e.Elapsed
			if e.Action != "fail" {
				continue // one without a failing test is not built
			}
		}
		lines = append(lines, e.Package+" "+e.Test+" "+e.Action)
	}
	slices.Sort(lines)
	failing := make(map[string]bool)
	for _, line := range lines {
		pkg, rest, _ := strings.Cut(line, " ")
		name, result, _ := strings.Cut(rest, " ")
		if name == "" {
			failing[pkg] = true
			continue
		}
		top, sub, _ := strings.Cut(name, "/")
		all.results[test{pkg, top}] += sub + " " + result + "\n"
		if result == "fail" && sub == "" {
			delete(failing, pkg)
		}
	}
	for pkg := range failing {
		all.results[test{pkg, ""}] = "fail"
	}
	return all, nil
}
