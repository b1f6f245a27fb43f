package alone

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// A Package is what is known of the tests of a package.
type Package struct {
	Dir   string  `json:"dir"` // relative to the root of the module or workspace, with forward slashes; or an absolute name
	Tests []*Test `json:"tests"`
}

// A Test is a test that has run in a process of its own.
type Test struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"` // of the process
	Failed  bool    `json:"failed,omitempty"`

	// Runs are the run files of its process, and of those that it has started.
	Runs []string `json:"runs"`

	// Opened and Looked are the files and folders below the root that it has opened, or asked about, with package os; sorted.
	Opened []string `json:"opened,omitempty"`
	Looked []string `json:"looked,omitempty"`
	// Starts tells that it has started a program, or may have. What that reads is not known.
	Starts bool `json:"starts,omitempty"`
}

// isTest is what names of tests, fuzz tests and examples are. Testdata is none: no lower-case letter follows.
var isTest = regexp.MustCompile(`^(Test|Fuzz|Example)([\p{Lu}\p{Lt}\p{Lm}\p{Lo}\pN_][\pL\pN_]*)?$`)

// IsTest reports whether a line of a list of tests is the name of one that go test runs without flags.
func IsTest(name string) bool { return isTest.MatchString(name) }

// A record is a Package that is written.
type record struct {
	Package
	to   string // profile directory of the wrap that runs, or ""
	root string
	here string // folder of the package
}

func newRecord() (*record, error) {
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	r := &record{to: os.Getenv(profiledir.Var), here: here}
	if r.to == "" {
		return r, nil
	}
	m, err := profiledir.ReadManifest(r.to)
	if err != nil {
		return nil, err
	}
	if m != nil {
		r.root = m.Root
	}
	r.Dir = here
	if rel, ok := r.below(here); ok {
		r.Dir = rel
	}
	return r, nil
}

// below returns the name of a file relative to the root, if it is below it.
func (r *record) below(name string) (string, bool) {
	rel, err := filepath.Rel(r.root, name)
	return filepath.ToSlash(rel), err == nil && r.root != "" && filepath.IsLocal(rel)
}

// take moves the run files of a test to those of the others, and returns their names. A process that outlives the test goes on
// counting in its file.
func (r *record) take(dir string) (names []string, err error) {
	for _, name := range profiledir.Glob(dir) {
		base := filepath.Base(name)
		if err := os.Rename(name, filepath.Join(r.to, base)); err != nil {
			return nil, err
		}
		names = append(names, base)
	}
	return names, nil
}

// write writes the file.
func (r *record) write() error {
	if r.to == "" {
		return nil
	}
	data, err := json.Marshal(r.Package)
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(r.Dir))
	return os.WriteFile(filepath.Join(r.to, profiledir.Alone(fmt.Sprintf("%x", sum[:8]))), append(data, '\n'), 0o666)
}

// readLog notes what the log of a test says. It has a program that was started as a file that was opened. A copy of the test
// binary that has been removed since has left a run file. Package os/exec mostly opens the null device before it starts a
// program, so a file behind that is a program that was removed, if it is not there. One with a folder of its own, to which its
// name may be relative, is followed by a look at that folder.
func (t *Test) readLog(name string, r *record) error {
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) { // the process has ended before the test began
		t.Starts = true
		return nil
	}
	if err != nil {
		return err
	}
	path := filepath.SplitList(os.Getenv("PATH"))
	for i := range path {
		path[i] = filepath.Clean(path[i]) // as the folder of a file is
	}
	dir, opened := r.here, make(map[string]bool)
	last := "" // file that the line before has opened
	for line := range strings.Lines(string(data)) {
		action, named, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if action == "getenv" { // $PWD, between the null device and a program
			continue
		}
		file := named
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		file = filepath.Clean(file)
		rel, below := r.below(file)
		before := last
		last = ""
		switch action {
		case "open":
			opened[file], last = true, named
			t.Starts = t.Starts || before == os.DevNull && named != os.DevNull && isGone(file)
		case "stat":
			if before != "" && !filepath.IsAbs(before) {
				opened[filepath.Join(file, before)] = true
			}
		}
		switch {
		case action == "chdir":
			dir = file
		case action == "stat" && slices.Contains(path, filepath.Dir(file)):
			t.Starts = true
		case !below:
		case action == "open":
			t.Opened = append(t.Opened, rel)
		case action == "stat":
			t.Looked = append(t.Looked, rel)
		}
	}
	t.Starts = t.Starts || len(t.Runs) > 1
	for file := range opened {
		t.Starts = t.Starts || isProgram(file)
	}
	slices.Sort(t.Opened)
	slices.Sort(t.Looked)
	t.Opened, t.Looked = slices.Compact(t.Opened), slices.Compact(t.Looked)
	return nil
}

// isProgram reports whether a file can be executed.
func isProgram(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular() && canRun(runtime.GOOS, name, info.Mode())
}

// canRun reports whether a system executes a regular file. Modes do not tell on Windows.
func canRun(system, name string, mode fs.FileMode) bool {
	if system == "windows" {
		return slices.Contains([]string{".bat", ".cmd", ".com", ".exe"}, strings.ToLower(filepath.Ext(name)))
	}
	return mode&0o111 != 0
}

func isGone(name string) bool {
	_, err := os.Stat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// mostRecord is what is read of a file about a package, in bytes: ten thousand tests that open a hundred files have 50 MB.
const mostRecord = 64 << 20

// Read returns what a wrap has noted of tests that ran alone, by folder as in Package; nothing if they did not.
func Read(dir string) (map[string]*Package, error) {
	current := profiledir.Current(dir)
	entries, err := os.ReadDir(current)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	all := make(map[string]*Package)
	for _, e := range entries {
		if is, _ := filepath.Match(profiledir.Alone("*"), e.Name()); !is {
			continue
		}
		name := filepath.Join(current, e.Name())
		data, err := rundata.ReadWhole(name, mostRecord)
		if err != nil {
			return nil, err
		}
		p := new(Package)
		if err := json.Unmarshal(data, p); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all[p.Dir] = p
	}
	return all, nil
}
