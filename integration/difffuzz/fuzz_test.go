package difffuzz

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/goprofinstr/goprofinstr/integration/internal/tool"
	"github.com/goprofinstr/goprofinstr/integration/progen"
)

var (
	programs  = flag.Int("programs", 1, "how many programs to generate and check")
	seed      = flag.Uint64("seed", 1, "seed of the first program")
	packages  = flag.Int("packages", 2, "packages of a program")
	functions = flag.Int("functions", 8, "declared functions of a package")
	maxFailed = flag.Int("maxfailed", 10, "failing programs to stop after")
	shrink    = flag.Bool("shrink", false, "delete what a failure does not need")
	keep      = flag.String("keep", "", "an empty folder to leave the first program and its data in")
	only      = flag.String("only", "", "check this `FILE`, not those of testdata: a package p0 with a function Run, or a program")
)

// progress is after how many programs a long run says how far it is.
const progress = 10

// command builds goprofinstr.
var command = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "difffuzz-")
	if err != nil {
		return "", err
	}
	return tool.Build(dir)
})

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if !testing.Short() {
		if exe, err := command(); err == nil {
			os.RemoveAll(filepath.Dir(exe))
		}
	}
	os.Exit(code)
}

func needTool(t *testing.T) string {
	if testing.Short() {
		t.Skip("builds and runs programs")
	}
	exe, err := command()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// TestFuzz checks generated programs. Each seed also chooses the flags.
func TestFuzz(t *testing.T) {
	exe := needTool(t)
	var total Figures
	failed := 0
	for i := range *programs {
		s := *seed + uint64(i)
		p, c := generate(exe, s)
		figures, failures, err := check(t, i, p, c)
		if err != nil {
			t.Errorf("seed %d: %v", s, err)
			continue
		}
		total.Add(figures)
		for _, f := range failures {
			t.Errorf("seed %d: %v", s, f)
		}
		if len(failures) > 0 {
			explain(t, exe, p, c, failures[0])
		}
		if len(failures) > 0 {
			if failed++; failed == *maxFailed {
				t.Logf("stopped after %d of %d programs", i+1, *programs)
				break
			}
		}
		if (i+1)%progress == 0 {
			t.Logf("seed %d: %+v", s, total)
		}
	}
	t.Logf("%+v", total)
	if total.Undecided*20 > total.Compared {
		t.Errorf("%d functions undecided, %d compared: the generator should trace more", total.Undecided, total.Compared)
	}
}

// check checks the i-th program in a folder that does not outlive it: what was built of thousands fills a disk.
func check(t *testing.T, i int, p *progen.Program, c Config) (*Figures, []*Failure, error) {
	if *keep != "" && i == 0 {
		dir, err := filepath.Abs(*keep)
		if err != nil {
			return nil, nil, err
		}
		return Check(dir, p.Files, c)
	}
	dir, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	return Check(dir, p.Files, c)
}

// generate returns the program of a seed and how it is built.
func generate(exe string, s uint64) (*progen.Program, Config) {
	c := Config{Tool: exe, Cover: true}
	switch s % 8 {
	case 1:
		c.BuildFlags = []string{"-gcflags=all=-l"}
	case 2, 5:
		c.WrapFlags = []string{"-atomic"}
	case 3:
		c.BuildFlags = []string{"-gcflags=-N -l"}
	}
	if s%2 == 0 {
		c.WrapFlags = append(c.WrapFlags, "-iterations", "2")
	}
	return progen.New(s, progen.Config{Packages: *packages, Functions: *functions, Fatal: s%3 == 0}), c
}

// explain prints the function that is to blame, in a program as small as it gets if -shrink is set.
func explain(t *testing.T, exe string, p *progen.Program, c Config, f *Failure) {
	files := p.Files
	if *shrink {
		files = Shrink(files, f, func(files map[string]string) []*Failure {
			dir, err := os.MkdirTemp(t.TempDir(), "")
			if err != nil {
				return nil
			}
			defer os.RemoveAll(dir)
			c := c
			c.Cover = c.Cover && f.Kind == "cover"
			_, failures, err := Check(dir, files, c)
			if err != nil {
				return nil
			}
			return failures
		})
		ar := new(txtar.Archive)
		for name, src := range files {
			if name != "tr/tr.go" && name != "go.mod" {
				ar.Files = append(ar.Files, txtar.File{Name: name, Data: []byte(src)})
			}
		}
		t.Logf("shrunk to\n%s", txtar.Format(ar))
		return
	}
	if src, ok := files[f.File]; ok {
		lines := strings.Split(src, "\n")
		end := f.Line
		for end < len(lines) && !strings.HasPrefix(lines[end], "}") {
			end++
		}
		t.Logf("%s:%d:\n%s", f.File, f.Line, strings.Join(lines[f.Line-1:min(end+1, len(lines))], "\n"))
	}
}

// TestCases checks the cases of testdata: programs that failed once.
func TestCases(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if *only != "" {
		names = []string{*only}
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			exe := needTool(t)
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files := progen.New(0, progen.Config{}).Files
			for _, f := range ar.Files {
				files[f.Name] = string(f.Data)
			}
			figures, failures, err := Check(t.TempDir(), files, Config{Tool: exe, Cover: true})
			if err != nil {
				t.Fatal(err)
			}
			_, reason, skip := strings.Cut(string(ar.Comment), "skip: ")
			if skip {
				if len(failures) == 0 {
					t.Errorf("passes, take the skip out")
				}
				t.Skipf("%s%v", reason, failures)
			}
			for _, f := range failures {
				t.Error(f)
			}
			t.Logf("%+v", *figures)
		})
	}
}
