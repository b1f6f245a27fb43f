package alone

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// TestOutput writes what test binaries print in pieces of all lengths.
func TestOutput(t *testing.T) {
	for _, test := range []struct{ in, out, said, prefix string }{
		{"PASS\n", "", "", ""},
		{"FAIL\n", "", "", ""},
		{"--- FAIL: TestA (0.00s)\n    a.go:1: PASS\nFAIL\n", "--- FAIL: TestA (0.00s)\n    a.go:1: PASS\n", "", ""},
		{"\x16=== RUN   TestA\n\x16--- PASS: TestA (0.00s)\n\x16PASS\n", "\x16=== RUN   TestA\n\x16--- PASS: TestA (0.00s)\n", "", "\x16"},
		{"testing: warning: no tests to run\nPASS\n", "", noTests, ""},
		{"no line end PASS\n", "no line end PASS\n", "", ""},
		{"panic: x\n", "panic: x\n", "", ""},
		{"", "", "", ""},
	} {
		for n := 1; n <= len(test.in)+1; n++ {
			var b bytes.Buffer
			o := &output{to: &b}
			for piece := range slices.Chunk([]byte(test.in), n) {
				o.Write(piece)
			}
			said, prefix := o.end()
			if b.String() != test.out || said != test.said || prefix != test.prefix {
				t.Fatalf("%q in pieces of %d: %q, said %q, prefix %q", test.in, n, b.String(), said, prefix)
			}
		}
	}
}

func TestNewBinary(t *testing.T) {
	b := newBinary([]string{"x.test", "-test.paniconexit0", "-test.run=A|B", "-test.testlogfile=l", "-test.failfast=true", "-args", "x"})
	if diff := cmp.Diff([]string{"-test.paniconexit0", "-test.failfast=true", "-args", "x"}, b.flags); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if b.run != "A|B" || !b.failFast || b.as {
		t.Errorf("%+v", b)
	}
	if b := newBinary([]string{"x.test", "-test.failfast=F"}); b.failFast {
		t.Errorf("%+v", b)
	}
	if b := newBinary([]string{"x.test", "-test.run=", "-test.list=."}); b.run != "." || !b.as {
		t.Errorf("%+v", b)
	}
	if b := newBinary([]string{"x.test", "-test.timeout=1ns", "x"}); !b.isLate() || len(b.flags) != 1 {
		t.Errorf("%+v", b)
	}
	if b := newBinary([]string{"x.test", "-test.timeout=0s"}); b.isLate() {
		t.Errorf("%+v", b)
	}
}

// TestMain makes this test binary one in which TestSkipped is no test to be run, if a variable says so.
func TestMain(m *testing.M) {
	if os.Getenv("ALONE") == "" {
		os.Exit(m.Run())
	}
	if slices.Contains(os.Args, "-test.run=^TestSkipped$") {
		os.Stderr.WriteString(noTests)
	}
	fmt.Print(pass)
}

// TestNoTests has a test that is listed and does not run, as with -skip: nothing is recorded of it, and nobody is told.
func TestNoTests(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("ALONE", "1")
	b, r := newBinary([]string{self}), new(record)
	for name, want := range map[string]bool{"TestRun": true, "TestSkipped": false} {
		if got, e, err := b.test(name, r); (got != nil) != want || e.Exit != 0 || err != nil {
			t.Errorf("%s: %+v, %+v, %v", name, got, e, err)
		}
	}
}

// TestRunNowhere has a binary that cannot be run: the go command would print FAIL and no reason.
func TestRunNowhere(t *testing.T) {
	if exit, err := Run([]string{filepath.Join(t.TempDir(), "x.test")}); err == nil {
		t.Errorf("exit code %d, and no error", exit)
	}
}

func TestIsTest(t *testing.T) {
	for name, want := range map[string]bool{
		"TestA": true, "FuzzA": true, "ExampleT_M": true, "Test": true, "TestÄ_1": true, "Test1": true, "Example_a": true,
		"Testdata": false, "Testä": false, "Examples": false, "BenchmarkA": false, "ok  \tx": false, "TestA ok": false,
	} {
		if got := IsTest(name); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestRefuse has command lines with a value of GOFLAGS.
func TestRefuse(t *testing.T) {
	for _, test := range []struct{ line, goflags, want string }{
		{"-run A", "", ""},
		{"-run=A/b", "", "leave the subtests out"},
		{"-bench=.", "", "-bench of go test"},
		{"-exec=x", "", "-exec of go test"},
		{"-cpuprofile=x", "", "-cpuprofile of go test"},
		{"-v -race -count=2", "", ""},
		{"", "-v '-exec=x y'", "-exec in GOFLAGS"},
		{"", "-bench=.", "-bench in GOFLAGS"},
		{"", "-run=A/b", "leave the subtests out"},
		{"-run=A", "-run=A/b", ""},
		{"-c", "", "go test -c runs nothing"},
		{"", "-c", "go test -c runs nothing"},
		{"-c=false", "-c", ""},
	} {
		c, err := gocmd.Parse(append([]string{"go", "test"}, splitWords(test.line)...))
		if err != nil {
			t.Fatal(err)
		}
		tc := &toolchain.Toolchain{GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, GOFLAGS: test.goflags}
		wantRefused(t, test.line+", GOFLAGS="+test.goflags, Refuse(c, tc), test.want)
	}
}

// TestRefuseWrapper has a program in PATH that go test runs what it builds for another system with.
func TestRefuseWrapper(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	name := "go_plan9_arm_exec"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if err := os.WriteFile(filepath.Join(dir, name), nil, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ system, arch, want string }{
		{"plan9", "arm", "go_plan9_arm_exec"},
		{"plan9", "386", ""},
		{runtime.GOOS, runtime.GOARCH, ""},
	} {
		tc := &toolchain.Toolchain{GOOS: test.system, GOARCH: test.arch}
		wantRefused(t, test.system+"/"+test.arch, Refuse(&gocmd.Command{Verb: "test"}, tc), test.want)
	}
}

func wantRefused(t *testing.T, what string, err error, want string) {
	t.Helper()
	if err == nil && want != "" || err != nil && (want == "" || !strings.Contains(err.Error(), want)) {
		t.Errorf("%s: %v, want %q", what, err, want)
	}
}

func splitWords(s string) (words []string) {
	for _, w := range bytes.Fields([]byte(s)) {
		words = append(words, string(w))
	}
	return words
}

// TestReadLog has a log of files below the root, beside it, and in $PATH, behind a change of the folder.
func TestReadLog(t *testing.T) {
	tmp := t.TempDir()
	bin, log := filepath.Join(tmp, "bin"), filepath.Join(tmp, "log")
	t.Setenv("PATH", bin+string(filepath.Separator)+string(filepath.ListSeparator)+filepath.Join(tmp, "other"))
	r := &record{root: filepath.Join(tmp, "m"), here: filepath.Join(tmp, "m", "pkg")}
	for _, dir := range []string{r.here, filepath.Join(r.root, "tools")} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	script := "gen.bat" // which every system may execute
	for name, mode := range map[string]os.FileMode{"log": 0o666, "m/pkg/there": 0o666, "m/tools/" + script: 0o777} {
		if err := os.WriteFile(filepath.Join(tmp, name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	read := func(runs []string, lines ...string) *Test {
		t.Helper()
		if err := os.WriteFile(log, []byte("# test log\n"+strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		got := &Test{Runs: runs}
		if err := got.readLog(log, r); err != nil {
			t.Fatal(err)
		}
		return got
	}
	elsewhere := "open " + filepath.Join(tmp, "elsewhere")
	got := read(nil, "getenv HOME", "open testdata/a", "open testdata/a", "stat ../b", elsewhere, "chdir ..", "open c")
	want := &Test{Opened: []string{"c", "pkg/testdata/a"}, Looked: []string{"b"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	null, gone := "open "+os.DevNull, "open "+filepath.Join(tmp, "gone")
	for _, test := range []struct {
		lines  []string
		starts bool
	}{
		{[]string{"stat " + filepath.Join(bin, "sh")}, true},
		{[]string{"open " + program}, true},
		{[]string{"stat " + program}, false},
		{[]string{"open " + log}, false},
		{[]string{"open " + tmp}, false},
		// A program that was written to a folder of the test's, and removed with it.
		{[]string{gone, null, null, "getenv PWD", gone}, true},
		{[]string{gone, gone}, false},
		{[]string{null, gone}, true},
		{[]string{null, "stat x", gone}, false},
		{[]string{null, null, "open there"}, false},
		// Programs whose names are relative to folders of their own.
		{[]string{null, "open ./" + script}, true},
		{[]string{"open ./" + script, "stat ../tools"}, true},
		{[]string{"open ./" + script, "stat ../pkg"}, false},
		{[]string{"open ./" + script, "open there", "stat ../tools"}, false},
		{[]string{"chdir ..", "open ./" + script, "stat tools"}, true},
	} {
		if got := read(nil, test.lines...); got.Starts != test.starts {
			t.Errorf("%q: %+v", test.lines, got)
		}
	}
	if got := read([]string{"run.1.1.gpi", "run.2.1.gpi"}, "open "+log); !got.Starts {
		t.Errorf("a child that has counted: %+v", got)
	}
	if got = new(Test); got.readLog(log+"none", r) != nil || !got.Starts {
		t.Errorf("no log: %+v", got)
	}
}

// TestCanRun has files whose modes tell, and files whose names do.
func TestCanRun(t *testing.T) {
	for _, test := range []struct {
		system, name string
		mode         os.FileMode
		want         bool
	}{
		{"linux", "a", 0o755, true}, {"linux", "a.exe", 0o644, false},
		{"windows", "A.EXE", 0o666, true}, {"windows", "a.txt", 0o666, false},
	} {
		if got := canRun(test.system, test.name, test.mode); got != test.want {
			t.Errorf("%+v: %t", test, got)
		}
	}
}

// TestRecord writes records and reads them.
func TestRecord(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a[b]")
	r := &record{Package{"pkg", []*Test{{Name: "TestA", Seconds: 0.5, Runs: []string{"run.1.1.gpi"}}}}, dir, "/m", "/m/pkg"}
	if err := r.write(); err == nil {
		t.Error("there is no folder, and no error")
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := r.write(); err != nil {
		t.Fatal(err)
	}
	got, err := Read(dir)
	if diff := cmp.Diff(map[string]*Package{"pkg": &r.Package}, got); diff != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
	if err := os.WriteFile(filepath.Join(dir, profiledir.Alone("x")), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(dir); err == nil {
		t.Error("damaged, and no error")
	}
}
