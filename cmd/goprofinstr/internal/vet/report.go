package vet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Said is what go test says about packages that vet finds something in.
type Said struct {
	Files map[string][]byte // test files that make the build of these packages fail

	stdout, stderr []byte
	json           bool
	builds         map[string][]string // what the go command calls their parts, by import path
	failedBuild    map[string]string   // of these the one that go test says has failed, by import path
}

// Report runs go test on failed packages. It runs none of their tests.
func (v *Check) Report(failed []*packages.Package) *Said {
	s := &Said{
		Files:       make(map[string][]byte),
		json:        v.tc.Is(v.cmd, "json"),
		builds:      make(map[string][]string),
		failedBuild: make(map[string]string),
	}
	var paths []string
	for _, p := range failed {
		if within(p.Dir, v.tc.GOMODCACHE) {
			continue // where the go command accepts no further file
		}
		name := strings.TrimSuffix(p.Name, "_test")
		s.Files[filepath.Join(p.Dir, "goprofinstr_vet_test.go")] = fmt.Appendf(nil, "package %s_test\n\nvar _ = vet\n", name)
		paths = append(paths, p.PkgPath)
		for _, form := range []string{"%[1]s_test [%[1]s.test]", "%[1]s [%[1]s.test]", "%[1]s"} {
			s.builds[p.PkgPath] = append(s.builds[p.PkgPath], fmt.Sprintf(form, p.PkgPath))
		}
	}
	if len(paths) == 0 {
		return s
	}
	var out, errs bytes.Buffer
	cmd := exec.Command(v.tc.Go, v.cmd.ArgsFor(paths)...)
	cmd.Env, cmd.Stdout, cmd.Stderr = v.tc.HelperEnviron(), &out, &errs
	v.tc.Helpers.Run(cmd) // which fails
	s.stdout, s.stderr = out.Bytes(), errs.Bytes()
	return s
}

// Filter writes what was said to where the output of a go command goes, and returns what to give to that command in
// their place, which leaves out what it says about the same packages.
func (s *Said) Filter(stdout, stderr io.Writer) (io.Writer, io.Writer) {
	stderr.Write(s.stderr)
	text := &lines{to: stderr, keep: s.text()}
	if !s.json {
		return stdout, text
	}
	for line := range bytes.Lines(s.stdout) {
		var e event
		switch json.Unmarshal(line, &e); {
		case strings.HasPrefix(e.Action, "build-"):
			stdout.Write(line)
		case e.FailedBuild != "":
			s.failedBuild[e.Package] = e.FailedBuild
		}
	}
	return &lines{to: stdout, keep: s.event}, text
}

// text returns a function that leaves out what is said below the headings of failed builds.
func (s *Said) text() func(line []byte) []byte {
	left := false
	return func(line []byte) []byte {
		if heading, ok := bytes.CutPrefix(line, []byte("# ")); ok {
			left = s.of(strings.TrimSpace(string(heading))) != ""
		}
		if left {
			return nil
		}
		return line
	}
}

// of returns the import path of the failed package that a build is of, or "".
func (s *Said) of(build string) string {
	for path, builds := range s.builds {
		if slices.Contains(builds, build) {
			return path
		}
	}
	return ""
}

// An event is what is of interest in a line of go test -json.
type event struct{ Action, Package, ImportPath, FailedBuild string }

// event leaves out events of failed builds, and has others name the build that go test names.
func (s *Said) event(line []byte) []byte {
	var e event
	if json.Unmarshal(line, &e) != nil {
		return line
	}
	if strings.HasPrefix(e.Action, "build-") && s.of(e.ImportPath) != "" {
		return nil
	}
	if build := s.failedBuild[e.Package]; build != "" && e.FailedBuild != "" {
		return bytes.Replace(line, quoted(e.FailedBuild), quoted(build), 1)
	}
	return line
}

func quoted(s string) []byte { return fmt.Appendf(nil, `"FailedBuild":%q`, s) }

// lines passes lines on that keep returns, as soon as they are whole.
type lines struct {
	to   io.Writer
	keep func(line []byte) []byte
	rest []byte
}

func (l *lines) Write(data []byte) (int, error) {
	l.rest = append(l.rest, data...)
	for {
		i := bytes.IndexByte(l.rest, '\n')
		if i < 0 {
			return len(data), nil
		}
		if _, err := l.to.Write(l.keep(l.rest[:i+1])); err != nil {
			return 0, err
		}
		l.rest = l.rest[i+1:]
	}
}
