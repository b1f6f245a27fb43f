// Package pathtest runs an example under goprofinstr and hands its path counts
// to a test that knows them from elsewhere:
//
//	run := pathtest.Wrap(t)                       // goprofinstr wrap go run .
//	src := pathtest.ReadSource(t, "main.go").Func(t, "func abs(x int) int {")
//	if0, then := src.Line(t, "if x < 0 {"), src.Line(t, "x = -x")
//	want := map[string]int64{
//		pathtest.Path("entry", if0, then, "return"): 3,
//		…
//	}
//	if diff := cmp.Diff(want, run.Paths(t, "abs")); diff != "" { … }
//
// Lines are named by what stands on them, so that an edit elsewhere in the
// example does not break its test.
//
// Not handled: functions two of whose paths have the same lines, as in "a || b"
// on one line. Paths fails on them, since a test could not say which it means.
package pathtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// command is the package of the command line tool.
const command = "github.com/goprofinstr/goprofinstr/cmd/goprofinstr"

// A Run is what one run of an example under goprofinstr left behind.
type Run struct {
	Stdout  string // of the example
	profile profile
}

// The part of "goprofinstr export -format json" that the tests read.
type (
	profile struct {
		Version   int
		Functions []function
	}
	function struct {
		Name      string
		Package   string
		Status    string
		Reason    string
		Abandoned int64
		Blocks    []struct{ Line int }
		Edges     []struct{ From, To int }
		Paths     []path
	}
	path struct {
		Count      int64
		Edges      []int
		Start, End string
		Contexts   []Context
	}
)

// A Context is what was seen of a path for some callers, in sampled mode.
type Context struct {
	Callers []string // innermost first, each with the line that it is at
	Count   int64
	Samples int64 // stacks that tell Count
	Time    int64 `json:"time_ns"` // CPU time in ns
}

// Wrap builds the goprofinstr of this module. With it Wrap runs the program in
// the current directory, which is the folder of the example that is tested. The
// flags go to goprofinstr wrap. Wrap skips the test in short mode: it builds two
// programs.
func Wrap(t *testing.T, flags ...string) *Run {
	t.Helper()
	if testing.Short() {
		t.Skip("builds and runs programs")
	}
	dir := t.TempDir()
	tool, out := build(t, dir), filepath.Join(dir, "out")

	args := append([]string{"wrap", "-mode", "exact", "-o", out}, flags...)
	run := &Run{Stdout: output(t, tool, append(args, "go", "run", ".")...)}
	exported := output(t, tool, "export", "-format", "json", out)
	if err := json.Unmarshal([]byte(exported), &run.profile); err != nil {
		t.Fatalf("goprofinstr export -format json: %v", err)
	}
	if v := run.profile.Version; v != 1 {
		t.Fatalf("JSON schema version %d, this test reads 1", v)
	}
	return run
}

// build builds goprofinstr, which runs here even if a test has set GOARCH for the program.
func build(t *testing.T, dir string) string {
	t.Helper()
	// A directory as -o lets the go command choose the name, with .exe where that is needed.
	cmd := exec.Command("go", "build", "-o", dir+string(filepath.Separator), command)
	cmd.Env = append(os.Environ(), "GOARCH="+runtime.GOARCH)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", command, err, out)
	}
	return filepath.Join(dir, "goprofinstr")
}

// output runs a command that must succeed, and returns what it prints on standard output.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(name), strings.Join(args, " "), err, &stderr)
	}
	return stdout.String()
}

// Paths returns how often each path of a function of the example was executed,
// by what [Path] makes of it. The name is without the package: "f" or "(*T).m".
func (r *Run) Paths(t *testing.T, name string) map[string]int64 {
	t.Helper()
	f := r.function(t, name)
	paths := make(map[string]int64)
	for _, p := range f.Paths {
		var lines []int
		add := func(block int) {
			if line := f.Blocks[block].Line; line != 0 { // 0: nothing in the source
				lines = append(lines, line)
			}
		}
		add(f.Edges[p.Edges[0]].From)
		for _, e := range p.Edges {
			add(f.Edges[e].To)
		}
		key := Path(p.Start, lines, p.End)
		if _, twice := paths[key]; twice {
			t.Fatalf("%s: two paths have the lines %s", name, key)
		}
		paths[key] = p.Count
	}
	return paths
}

// Contexts returns all contexts in which some paths of a function were seen. These start and end somewhere, as in [Path],
// and have a line, or do not have it.
func (r *Run) Contexts(t *testing.T, name, start, end string, line int, on bool) []Context {
	t.Helper()
	f := r.function(t, name)
	var contexts []Context
	for _, p := range f.Paths {
		has := false
		for _, e := range p.Edges {
			has = has || f.Blocks[f.Edges[e].To].Line == line
		}
		if p.Start == start && p.End == end && has == on {
			contexts = append(contexts, p.Contexts...)
		}
	}
	return contexts
}

// Abandoned returns how many activations of a function a panic or an exit ended
// before the end of a path.
func (r *Run) Abandoned(t *testing.T, name string) int64 {
	t.Helper()
	return r.function(t, name).Abandoned
}

func (r *Run) function(t *testing.T, name string) function {
	t.Helper()
	var names []string
	for _, f := range r.profile.Functions {
		short := strings.TrimPrefix(f.Name, f.Package+".")
		if short != name {
			names = append(names, short)
			continue
		}
		if f.Status != "instrumented" {
			t.Fatalf("%s is %s: %s", name, f.Status, f.Reason)
		}
		return f
	}
	t.Fatalf("no function %s in the profile, only %v", name, names)
	panic("not reached")
}

// Path writes a path as "entry 12→14→17 return". That is where it starts (entry or loop), the lines that its blocks begin on, and
// where it ends (return or loop).
func Path(start string, lines []int, end string) string {
	texts := make([]string, len(lines))
	for i, line := range lines {
		texts[i] = strconv.Itoa(line)
	}
	return fmt.Sprintf("%s %s %s", start, strings.Join(texts, "→"), end)
}

// CheckReadme fails the test unless the README.md of the example shows the program's output as it is. It must also
// show, in one line each, the lines and the count of all given paths.
func (r *Run) CheckReadme(t *testing.T, paths map[string]int64) {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(text)
	if !strings.Contains(readme, r.Stdout) {
		t.Errorf("README.md does not show what the program prints:\n%s", r.Stdout)
	}
	for path, count := range paths {
		lines := strings.Fields(path)[1]
		if !strings.Contains(readme, fmt.Sprintf(": %s} %d\n", lines, count)) {
			t.Errorf("README.md does not show path %s with count %d: paste the output of its commands again", lines, count)
		}
	}
}

// A Source is a file of the example, or a part of it.
type Source struct {
	before int // lines before the part
	lines  []string
}

// ReadSource returns a file of the example.
func ReadSource(t *testing.T, name string) Source {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return Source{0, strings.Split(string(text), "\n")}
}

// Func returns the function whose first line is the only one that is text.
func (s Source) Func(t *testing.T, text string) Source {
	t.Helper()
	from := s.Line(t, text) - 1 - s.before
	length := slices.Index(s.lines[from:], "}") // gofmt indents all others
	if length < 0 {
		t.Fatalf("no end of %q", text)
	}
	return Source{s.before + from, s.lines[from : from+length]}
}

// Line returns the number of the only line that is text, but for the blanks around it.
func (s Source) Line(t *testing.T, text string) int {
	t.Helper()
	found := 0
	for i, line := range s.lines {
		if strings.TrimSpace(line) != text {
			continue
		}
		line := s.before + i + 1
		if found != 0 {
			t.Fatalf("lines %d and %d are both %q", found, line, text)
		}
		found = line
	}
	if found == 0 {
		t.Fatalf("no line is %q", text)
	}
	return found
}

// A Log counts the paths of a function from what a copy of it says, block by block. The copy says its place in the
// source at each block, and where a loop goes round.
type Log struct {
	t     *testing.T
	src   Source
	known map[string]int // lines by text
	paths map[string]int64
	start string
	lines []int // of the path so far
}

// NewLog returns an empty log for a function of src.
func NewLog(t *testing.T, src Source) *Log {
	return &Log{t: t, src: src, known: make(map[string]int), paths: make(map[string]int64)}
}

// Enter says that the function is called. The block begins on the line that is text.
func (l *Log) Enter(text string) {
	l.start, l.lines = "entry", nil
	l.At(text)
}

// At says that control is at the block that begins on the line that is text.
func (l *Log) At(text string) {
	line, ok := l.known[text]
	if !ok {
		line = l.src.Line(l.t, text)
		l.known[text] = line
	}
	l.lines = append(l.lines, line)
}

// Back says that control goes back to the head of a loop, which ends a path and
// starts the next.
func (l *Log) Back(head string) {
	l.At(head)
	l.paths[Path(l.start, l.lines, "loop")]++
	l.start, l.lines = "loop", nil
	l.At(head)
}

// Return says that control is at a block that ends with a return.
func (l *Log) Return(text string) {
	l.At(text)
	l.paths[Path(l.start, l.lines, "return")]++
}

// Paths returns how often each path was taken, as [Run.Paths] does.
func (l *Log) Paths() map[string]int64 {
	return l.paths
}
