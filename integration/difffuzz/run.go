package difffuzz

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/integration/progen"
)

// Config says how programs are checked.
type Config struct {
	Tool       string   // the goprofinstr command
	WrapFlags  []string // such as -atomic
	BuildFlags []string // such as -gcflags=all=-l
	Cover      bool     // compare with go build -cover, too
}

// Failure is a difference between what is and what should be.
type Failure struct {
	Kind string // "build", "behaviour", "profile", "declined", "cover", "paths", "pairs" or "primes"
	File string // where the function is, if one is to blame
	Func string
	Line int
	Text string
}

func (f *Failure) String() string {
	if f.File == "" {
		return f.Kind + ": " + f.Text
	}
	return fmt.Sprintf("%s: %s (%s:%d): %s", f.Kind, f.Func, f.File, f.Line, f.Text)
}

// outcome is what one run of a program did.
type outcome struct {
	stdout, stderr string
	exit           int
}

// Check writes the program's files to dir, which is empty, builds and runs it. The
// error is for what is wrong with the program or the machine, not with the tool.
func Check(dir string, files map[string]string, c Config) (*Figures, []*Failure, error) {
	for name, src := range files {
		name = filepath.Join(dir, "src", name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return nil, nil, err
		}
		if err := os.WriteFile(name, []byte(src), 0o666); err != nil {
			return nil, nil, err
		}
	}
	b := &bench{dir: dir, config: c}
	plain, err := b.plain()
	if err != nil {
		return nil, nil, err
	}
	wrapped, failure, err := b.wrapped()
	if err != nil || failure != nil {
		return new(Figures), []*Failure{failure}, err
	}
	failures := compareOutcomes(plain, wrapped)
	// What throws is not seen by any hook, nor is what other goroutines do meanwhile: all goroutines asleep,
	// a panic in another goroutine than main.
	died := strings.Contains(plain.stderr, "fatal error: ") || strings.Contains(plain.stderr, "created by ")
	j := &judge{files: files, died: died}
	if err := j.load(dir); err != nil {
		return new(Figures), append(failures, &Failure{Kind: "profile", Text: err.Error()}), nil
	}
	j.profileChecks()
	j.paths()
	if c.Cover {
		blocks, err := b.cover()
		if err != nil {
			return nil, nil, err
		}
		j.cover(blocks)
	}
	return &j.figures, append(failures, j.failures...), nil
}

// bench builds and runs one program in its folder: src, and the data of the runs beside it.
type bench struct {
	dir    string
	config Config
}

// withoutDWARF is a flag of go build. Nobody debugs the programs, and to link DWARF was a fifth of the CPU time of their tests.
const withoutDWARF = "-ldflags=-w"

func (b *bench) plain() (*outcome, error) {
	exe := filepath.Join(b.dir, "plain")
	args := append(append([]string{"build", withoutDWARF}, b.config.BuildFlags...), "-o", exe, ".")
	if out, err := b.command("go", args...); err != nil {
		return nil, fmt.Errorf("the program does not build: %w\n%s", err, out)
	}
	return b.run(exe, progen.TraceVar+"="+filepath.Join(b.dir, "trace"))
}

func (b *bench) wrapped() (*outcome, *Failure, error) {
	exe, data := filepath.Join(b.dir, "wrapped"), filepath.Join(b.dir, "data")
	if err := os.Mkdir(data, 0o777); err != nil {
		return nil, nil, err
	}
	args := append([]string{"wrap", "-mode", "exact"}, b.config.WrapFlags...)
	args = append(append(args, "go", "build", withoutDWARF), b.config.BuildFlags...)
	if out, err := b.command(b.config.Tool, append(args, "-o", exe, ".")...); err != nil {
		return nil, &Failure{Kind: "build", Text: fmt.Sprintf("%v\n%s", err, out)}, nil
	}
	o, err := b.run(exe, profiledir.Var+"="+data)
	return o, nil, err
}

// cover returns the profile of a run under Go's own coverage.
func (b *bench) cover() (string, error) {
	exe, data, text := filepath.Join(b.dir, "covered"), filepath.Join(b.dir, "cover"), filepath.Join(b.dir, "cover.txt")
	if err := os.Mkdir(data, 0o777); err != nil {
		return "", err
	}
	if out, err := b.command("go", "build", withoutDWARF, "-cover", "-covermode=count", "-o", exe, "."); err != nil {
		return "", fmt.Errorf("go build -cover: %w\n%s", err, out)
	}
	if _, err := b.run(exe, "GOCOVERDIR="+data); err != nil {
		return "", err
	}
	if entries, err := os.ReadDir(data); err != nil || len(entries) < 2 {
		return "", err // a program that panics leaves no counters
	}
	if out, err := b.command("go", "tool", "covdata", "textfmt", "-i", data, "-o", text); err != nil {
		return "", fmt.Errorf("go tool covdata: %w\n%s", err, out)
	}
	profile, err := os.ReadFile(text)
	return string(profile), err
}

func (b *bench) command(name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = filepath.Join(b.dir, "src")
	return cmd.CombinedOutput()
}

func (b *bench) run(exe, env string) (*outcome, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(exe)
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), "GOTRACEBACK=single", env)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		return nil, err
	}
	return &outcome{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}, nil
}

func compareOutcomes(plain, wrapped *outcome) []*Failure {
	var failures []*Failure
	compare := func(what, want, got string) {
		if want == got {
			return
		}
		w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
		i := 0
		for i < len(w)-1 && i < len(g)-1 && w[i] == g[i] {
			i++
		}
		failures = append(failures, &Failure{Kind: "behaviour",
			Text: fmt.Sprintf("%s: line %d is %q, want %q", what, i+1, g[i], w[i])})
	}
	compare("exit code", fmt.Sprint(plain.exit), fmt.Sprint(wrapped.exit))
	compare("stdout", plain.stdout, wrapped.stdout)
	compare("stderr", normalise(plain.stderr), normalise(wrapped.stderr))
	return failures
}

// What differs in the stack traces of any two builds: addresses, the numbers of goroutines, and whether they wait or
// run. The arguments differ, too: only frames have them that were not inlined.
var (
	pcOffset  = regexp.MustCompile(` \+0x[0-9a-f]+$`)
	goroutine = regexp.MustCompile(`goroutine \d+( \[.*\]:)?`)
	panicLine = regexp.MustCompile(`runtime/panic\.go:\d+$`) // the overlay adds lines to this file
	address   = regexp.MustCompile(`0x[0-9a-f]+`)
)

func normalise(stderr string) string {
	lines := strings.Split(stderr, "\n")
	for i, l := range lines {
		l = pcOffset.ReplaceAllString(l, "")
		if strings.HasSuffix(l, ")") && !strings.HasPrefix(l, "\t") && !strings.HasPrefix(l, "panic") {
			l = l[:openParen(l)]
		}
		l = goroutine.ReplaceAllString(l, "goroutine N")
		l = panicLine.ReplaceAllString(l, "panic.go")
		lines[i] = address.ReplaceAllString(l, "0x")
	}
	return strings.Join(lines, "\n")
}

// openParen returns the index of the parenthesis that the last one in s closes.
func openParen(s string) int {
	depth := 0
	for i := len(s) - 1; i >= 0; i-- {
		switch s[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(s)
}
