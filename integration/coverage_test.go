package integration

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/integration/internal/fetch"
)

// A served program answers requests.
type served struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.Writer
	out *bufio.Scanner
}

func serve(t *testing.T, program string, env ...string) *served {
	t.Helper()
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), env...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return &served{t, cmd, in, bufio.NewScanner(out)}
}

// requests sends requests and waits for all answers.
func (s *served) requests(list ...string) {
	s.t.Helper()
	for _, r := range list {
		fmt.Fprintln(s.in, r)
		if !s.out.Scan() {
			s.t.Fatalf("no answer to %q: %v", r, s.out.Err())
		}
	}
}

var (
	logins = []string{"login root", "login ann", "login bob", "fail", "nothing"}
	orders = []string{"order a b c d", "order tables -chairs", "order", "login ann"}
)

// TestServiceCoverage compares the coverage of a service, while it runs and after it was killed, with Go's. Go's is of the
// same requests under go build -cover and with an orderly end. The coverage of each test is held to what the test has
// requested.
func TestServiceCoverage(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere programs write down what they have counted when they exit")
	}
	dir := copyProgram(t, "served")
	run(t, dir, "go", "build", "-cover", "-covermode=count", "-coverpkg=./...", "-o", "covered", ".")
	all := slices.Concat(logins, orders)
	want := map[string][]string{"logins": goCoverage(t, dir, logins), "orders": goCoverage(t, dir, orders)}
	whole := goCoverage(t, dir, append([]string{"login warm-up"}, all...))
	formats := make(map[string]string)
	for _, mode := range []string{"exact", "sampled"} {
		t.Run(mode, func(t *testing.T) {
			program := filepath.Join(dir, mode)
			run(t, dir, goprofinstr, "wrap", "-mode", mode, "go", "build", "-o", program, ".")
			data, snapshots := t.TempDir(), t.TempDir()
			s := serve(t, program, "GOPROFINSTR_DIR="+data)
			s.requests("login warm-up", "spin") // sampled programs write down what they have counted at ticks
			run(t, dir, goprofinstr, "snapshot", data)
			for name, requests := range map[string][]string{"logins": logins, "orders": orders} {
				s.requests(requests...)
				s.requests("spin")
				out := filepath.Join(snapshots, name)
				run(t, dir, goprofinstr, "snapshot", "-o", out, data)
				compareBlocks(t, name, want[name], ourCoverage(t, dir, out))
			}
			compareBlocks(t, "alive", whole, ourCoverage(t, dir, data))
			s.cmd.Process.Kill()
			s.cmd.Wait()
			compareBlocks(t, "killed", whole, ourCoverage(t, dir, data))
			for _, format := range []string{"lcov", "cobertura", "sonar", "codecov"} {
				compareFormats(t, formats, format, dir, data)
			}
		})
	}
}

// compareFormats holds the coverage of a file in a format to that of an earlier call.
func compareFormats(t *testing.T, earlier map[string]string, format, dir, data string) {
	t.Helper()
	text, warning := run(t, dir, goprofinstr, "export", "-format", format, data)
	if _, isSecond := earlier[format]; isSecond && !strings.Contains(warning, "may have been executed") {
		t.Errorf("%s of a sampled service that was killed has no warning: %s", format, warning)
	}
	_, text, ok := strings.Cut(text, "shop/shop.go")
	if !ok {
		t.Fatalf("%s has no shop.go", format)
	}
	if was, ok := earlier[format]; ok && was != text {
		t.Errorf("%s (-exact +sampled):\n%s", format, cmp.Diff(was, text))
	}
	earlier[format] = text
}

// goCoverage returns the coverage of requests by go build -cover.
func goCoverage(t *testing.T, dir string, requests []string) []string {
	t.Helper()
	data := t.TempDir()
	s := serve(t, filepath.Join(dir, "covered"), "GOCOVERDIR="+data)
	s.requests(requests...)
	fmt.Fprintln(s.in, "quit")
	if err := s.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return textfmt(t, dir, data)
}

// ourCoverage returns the coverage of a profile.
func ourCoverage(t *testing.T, dir, data string) []string {
	t.Helper()
	out := t.TempDir()
	run(t, dir, goprofinstr, "export", "-format", "covdata", "-o", out, data)
	return textfmt(t, dir, out)
}

func textfmt(t *testing.T, dir, data string) []string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "text")
	run(t, dir, "go", "tool", "covdata", "textfmt", "-i", data, "-o", out)
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}

// compareBlocks compares coverage, but for function main, which the requests are waited for in.
func compareBlocks(t *testing.T, what string, want, got []string) {
	t.Helper()
	isMain := func(line string) bool { return strings.HasPrefix(line, "example.com/served/main.go:") }
	want, got = slices.DeleteFunc(slices.Clone(want), isMain), slices.DeleteFunc(slices.Clone(got), isMain)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-go build -cover +goprofinstr):\n%s", what, diff)
	}
}

var (
	coverageCorpus = flag.String("coverage.corpus", "", "folder with modules for TestCoverageFormats, in place of one that it fetches")
	coverageOnly   = flag.String("coverage.only", "", "modules of that folder, by name, separated by commas")
)

// TestCoverageFormats has the tools that coverage is for read that of real modules: none may warn, and all have the totals
// that the report has.
func TestCoverageFormats(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and tests other modules")
	}
	if *coverageCorpus == "" {
		for _, m := range corpus[2:3] {
			t.Run(m.module, func(t *testing.T) { readFormats(t, fetch.ForTest(t, m.module, m.version)) })
		}
		return
	}
	entries, err := os.ReadDir(*coverageCorpus)
	if err != nil {
		t.Fatal(err)
	}
	only := strings.Split(*coverageOnly, ",")
	for _, e := range entries {
		if *coverageOnly == "" || slices.Contains(only, e.Name()) {
			t.Run(e.Name(), func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "m")
				if err := os.CopyFS(dir, os.DirFS(filepath.Join(*coverageCorpus, e.Name()))); err != nil {
					t.Fatal(err)
				}
				readFormats(t, dir)
			})
		}
	}
}

// reportTotals are those of a report as JSON.
type reportTotals struct {
	Total struct {
		Conditions, Statements, Functions struct{ Executed, All int }
	}
}

// readFormats exports the coverage of a module's tests in all formats.
func readFormats(t *testing.T, dir string) {
	cmd := exec.Command(goprofinstr, "wrap", "-o", "out", "go", "test", skipSlow, "./...")
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Logf("tests fail: %v\n%.2000s", err, text) // there is a profile all the same
	}
	var r reportTotals
	text, _ := run(t, dir, goprofinstr, "report", "-format", "json", "out")
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"lcov", "cobertura", "sonar", "codecov"} {
		_, warnings := run(t, dir, goprofinstr, "export", "-format", format, "-o", "coverage."+format, "out")
		if warnings != "" {
			t.Logf("%s: %s", format, warnings)
		}
	}
	t.Logf("report: %+v", r.Total)
	if n := readLcov(t, dir); n != [2]int{r.Total.Conditions.All, r.Total.Conditions.Executed} {
		t.Errorf("%d branches, want what the report has: %+v", n, r.Total.Conditions)
	}
	readXML(t, dir)
	readCovdata(t, dir)
}
