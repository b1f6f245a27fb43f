package guide

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A session is a shell in a copy of an example, which is a module of its own. Standard output and error are one.
type session struct {
	dir  string
	in   io.WriteCloser
	out  *bufio.Reader
	done int // commands
}

// start starts a session. It ends with the test, and with it what runs in the background. The copy of the example is in folder,
// in the same place for all pages: so the go command need not build again what an earlier page has built.
func start(t *testing.T, folder, example string) *session {
	dir := filepath.Join(folder, filepath.Base(example))
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("../..", filepath.FromSlash(example)))); err != nil {
		t.Fatal(err)
	}
	mod := "module example.com/" + filepath.Base(example) + "\n\ngo 1.26\n"
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666); err != nil {
		t.Fatal(err)
	}
	return shell(t, dir)
}

// startAbove starts a session in the folder of a module in which an example is the only package, with the path that it has here.
func startAbove(t *testing.T, example string) *session {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, example), os.DirFS(filepath.Join("../..", example))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module github.com/goprofinstr/goprofinstr\n\ngo 1.26\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return shell(t, dir)
}

// shell starts a session in a folder.
func shell(t *testing.T, dir string) *session {
	cmd := exec.Command("bash", "--norc")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(goprofinstr)+string(os.PathListSeparator)+os.Getenv("PATH"), "GOWORK=off", "GOFLAGS=",
		"COLUMNS=80", "LC_ALL=C.UTF-8", "TZ=UTC",
		// So a commit is the same each time, and with it what is kept in the user's cache for a merge base.
		"GIT_AUTHOR_DATE=2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skip("no shell:", err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	s := &session{dir: dir, in: in, out: bufio.NewReader(out)}
	s.run(t, `exec 2>&1; trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT`)
	return s
}

// run runs a command and returns what it prints.
func (s *session) run(t *testing.T, text string) []string {
	s.done++
	end := fmt.Sprintf("end of command %d, exit code ", s.done)
	fmt.Fprintf(s.in, "%s\necho \"%s$?\"\n", text, end)
	var list []string
	for {
		l, err := s.out.ReadString('\n')
		if err != nil {
			t.Fatalf("%s: the shell has ended: %v\n%s", text, err, join(list))
		}
		l = strings.TrimSuffix(l, "\n")
		before, code, ok := strings.Cut(l, end)
		if byTheWay.MatchString(l) {
			continue
		}
		if !ok {
			list = append(list, strings.ReplaceAll(l, s.dir, "~/"+filepath.Base(s.dir)))
			continue
		}
		if before != "" {
			list = append(list, before)
		}
		if code != "0" {
			list = append(list, "[exit code "+code+"]")
		}
		return list
	}
}

var (
	// What is said where an earlier page has run the same tests, and where a machine is so busy that something waits or takes seconds.
	byTheWay = regexp.MustCompile(`^goprofinstr: (\d+ packages? cached: |waiting for another goprofinstr, |the standard library has to be compiled |(compiling|linking|listing|vetting) |[a-z ]+: \d+ of \d+: )`)

	exitCode = regexp.MustCompile(`^\[exit code \d+\]$`) // as run has it behind what a command prints

	times   = regexp.MustCompile(`\b\d+(\.\d+)?(ns|µs|ms|s)\b|\(cached\)`)
	hashes  = regexp.MustCompile(`\b[0-9a-f]{12,}\b`)
	numbers = regexp.MustCompile(`[≥<]?\d[\d,.]*(e[+-]\d+)?`)
	blanks  = regexp.MustCompile(`\s+`)
)

// shape returns a line without what may differ.
func shape(l string, all bool) string {
	l = times.ReplaceAllString(l, "TIME")
	if all {
		l = blanks.ReplaceAllString(numbers.ReplaceAllString(hashes.ReplaceAllString(l, "HASH"), "N"), " ")
	}
	return l
}

// compare tells how lines differ from those that are wanted; "" if they do not.
func compare(want, got []string, all bool) string {
	for i, w := range want {
		if w == "..." {
			rest := want[i+1:]
			if len(rest) == 0 {
				return ""
			}
			for k := range len(got) - i + 1 {
				if compare(rest, got[i+k:], all) == "" {
					return ""
				}
			}
			return "what stands behind the dots is not there"
		}
		if i >= len(got) || shape(w, all) != shape(got[i], all) {
			return "line " + fmt.Sprint(i+1) + " is not as the page says"
		}
	}
	if len(got) > len(want) {
		return "there are more lines"
	}
	return ""
}

// has reports whether a text has a part, in which … is anything on a line.
func has(text, part string) bool {
	return regexp.MustCompile(strings.ReplaceAll(regexp.QuoteMeta(part), "…", ".*")).MatchString(text)
}
