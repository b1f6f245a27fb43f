package cli

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// TestUsageErrors has mistakes in command lines: each message names the command once.
func TestUsageErrors(t *testing.T) {
	t.Chdir(t.TempDir()) // no folder around has a profile, as this one has after the first command of README
	for line, want := range map[string]string{
		"frobnicate":              `unknown command "frobnicate"; see goprofinstr help`,
		"help frob":               `no help on "frob"; see goprofinstr help`,
		"help -nosuch":            "help: flag provided but not defined: -nosuch; see goprofinstr help help",
		"wrap -mode foo go test":  `wrap: unknown -mode "foo"; use -mode exact, sampled or stratified`,
		"audit -o= go test":       "audit: -o needs the name of a directory",
		"audit -confidence NaN":   "audit: -confidence NaN: want a percentage from 50 to below 100",
		"audit -from x -n -o y":   "audit: -from shows an earlier audit; leave out -n and -o",
		"audit -stop go build":    "audit: go build runs nothing that could be timed; leave out -stop",
		"audit go test -vet=all":  "audit: -vet=all: audits do not vet; use -vet=off, and run go test -vet=all without goprofinstr",
		"check -min-path 1 a b":   "check: want one profile directory, got 2 arguments; see goprofinstr help check",
		"check -min-path 1":       "there is no goprofinstr.out here; make one, as with goprofinstr wrap go test ./..., or name another profile directory",
		"report go test ./...":    "report: want a profile directory and no go command; goprofinstr wrap go test ./... makes one",
		"completion ksh":          `completion: unknown shell "ksh" (did you mean zsh?); want one of bash, zsh, fish`,
		"version now":             "version: want no arguments, got 1",
		"report -format foo dir":  `report: unknown format "foo"; want one of badge, conditions, html, json, markdown, mcdc, prime, text`,
		"view -live -service x d": "view: -service: for archives, and d is a profile directory",
		"merge -o out":            "merge: no profile directories given; see goprofinstr help merge",
		"doctor x":                "doctor: want no arguments, got 1; see goprofinstr help doctor",
		"wrap -kinds-in x go run": "wrap: -kinds-in x: say with -kinds what to count there",

		"export -format parquet -src x": "export: -src x: -format parquet takes no sources; leave it out",
		"audit -base main -fail-if-slower 2% -confidence 90 go test -c": "audit: go test -c runs nothing that could be timed; " +
			"leave out -confidence and -fail-if-slower",
		"version -json -licenses":           "version: -licenses prints nothing else; leave out -m and -json",
		"help wrap foo":                     "help: want one command or topic, got 2: wrap foo",
		"diff -format json -top 5 a b":      "diff: -top is for -format text and html; -format json has all of them",
		"select -format list -v -diff main": "select: -v is for -format text; the others say why anyway",
		"audit -loops=false -profile x go run": "audit: -loops=false times no loops, and -profile says which to time; " +
			"leave out one of them",
		"export -format folded -src x": "export: -src x: -format folded takes no sources; leave it out",

		"report -format html -top 3":       "report: -top is for -format text, json, markdown and prime",
		"report -format conditions -top 3": "report: -top is for -format text, json, markdown and prime",
		"report -format json -path m.F#3":  "report: -path is text only; leave out -format json",
		"report -format jsno -top 3": `report: unknown format "jsno" (did you mean json?); ` +
			"want one of badge, conditions, html, json, markdown, mcdc, prime, text",
		"agent -http localhost:0 -archive x -headers-file h": "agent: -headers-file needs -otlp or -pyroscope: " +
			"it is for requests to their servers",
		"agent -http localhost:0 -state x": "agent: -state needs -archive, -otlp or -pyroscope: it is for what these were given",
		"agent -http localhost:0 -label x": "agent: -label needs -archive, -otlp or -pyroscope: " +
			"it says which labels these are given",
		"report -test TestX -top 3": "report: -test lists all that there is; leave out -top",
	} {
		if _, err := dispatch(strings.Fields(line)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

// TestDefaultDirectory has commands of several profile directories without any: they take that of wrap.
func TestDefaultDirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	lines := []string{"pgo -o x.pgo", "archive add -o archive"}
	for _, want := range []string{"there is no goprofinstr.out here; make one, ", "goprofinstr.out: no run data"} {
		for _, line := range lines {
			if _, err := dispatch(strings.Fields(line)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", line, err, want)
			}
		}
		if err := os.MkdirAll("goprofinstr.out", 0o777); err != nil {
			t.Fatal(err)
		}
	}
}

// TestUnknownDirectory has a folder that may not be looked into. That is what is said of it, and not that it is an archive.
func TestUnknownDirectory(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "goprofinstr.archive")
	if err := os.Symlink(name, name); err != nil { // to itself: whoever runs the tests may look into any folder
		t.Skip(err)
	}
	for _, args := range [][]string{{"snapshot", dir}, {"view", "-live", dir}, {"report", dir}} {
		if _, err := dispatch(args); err == nil || !strings.Contains(err.Error(), "stat "+name+": ") {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// TestHints has words that are nearly right, and what is guessed.
func TestHints(t *testing.T) {
	for line, want := range map[string]string{
		"raport":                          "report",
		"go test ./...":                   "wrap go",
		"test":                            "wrap go test",
		"help raport":                     "report",
		"help sampel":                     "sampler",
		"check -min-paths 80":             "-min-path",
		"report -fromat json":             "-format",
		"report -format jsn":              "json",
		"export -format pgoo":             "pgo",
		"export -format pprof -kind call": "calls",
		"wrap -mode exakt go test":        "exact",
		"wrap -kinds call go test":        "calls",
		"wrap test":                       "go test",
		"wrap ./...":                      "go test ./...",
		"wrap main.go":                    "go run main.go",
		"wrap go tset":                    "go test",
		"wrap go build -rcae":             "-race",
	} {
		_, err := dispatch(strings.Fields(line))
		if err == nil || !strings.Contains(err.Error(), "(did you mean "+want+"?)") {
			t.Errorf("%s: %v, want a guess: %s", line, err, want)
		}
	}
	for line, want := range map[string]string{
		"check -per-test":    "(a flag of wrap)",
		"wrap -race go test": "(flags of the go command go behind it)",

		"-format json export":    "(flags stand behind the command: goprofinstr export -format)",
		"-format=json x report":  "(flags stand behind the command: goprofinstr report -format)",
		"-mode exact report":     "(flags stand behind the command: goprofinstr wrap -mode)",
		"-top 3":                 "(flags stand behind the command: goprofinstr report -top)",
		"-mode exact audit wrap": "(flags stand behind the command: goprofinstr wrap -mode)",

		"wrap go run -mode exact .":  "unknown flag -mode of go run; wrap takes it before the go command",
		"wrap go build --mode=exact": "unknown flag -mode of go build; wrap takes it before the go command",
		"audit go run -stop .":       "unknown flag -stop of go run; audit takes it before the go command",
		"audit go run -mode exact .": "unknown flag -mode of go run (did you mean -mod?)",
		"wrap go run -o out .":       "unknown flag -o of go run; wrap takes it before the go command",
		"wrap go install -o app .":   "unknown flag -o of go install\n",
	} {
		if _, err := dispatch(strings.Fields(line)); err == nil || !strings.Contains(err.Error()+"\n", want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

// TestAuditFrom refuses to decide again what has been decided, also in the directory of an audit that was killed at its end.
func TestAuditFrom(t *testing.T) {
	for _, folder := range []string{"", "whole"} {
		dir := t.TempDir()
		name := filepath.Join(dir, folder, "audit.json")
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{name, filepath.Join(filepath.Dir(name), profiledir.ManifestName)} {
			if err := os.WriteFile(file, nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want := "audit: " + name + " has been decided; leave out -confidence and -min-effect"
		_, err := dispatch([]string{"audit", "-from", dir, "-min-effect", "2", "-confidence", "90", "-format", "json"})
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestProgramDirectory has a relative directory for a program that may be started elsewhere.
func TestProgramDirectory(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dirs := "data"
	p, err := newProgram([]string{self}, &dirs)
	if err != nil {
		t.Fatal(err)
	}
	if want := profiledir.Var + "=" + filepath.Join(here, "data"); !slices.Contains(p.Env, want) || dirs != "data" {
		t.Errorf("the program's environment is without %s, and the directory is called %s", want, dirs)
	}
}

// TestExamples parses the command lines that help has as examples, up to what is for the shell.
func TestExamples(t *testing.T) {
	for _, c := range commands {
		for line := range strings.Lines(c.examples) {
			line, _, _ = strings.Cut(line, " #")
			line, _, _ = strings.Cut(strings.TrimPrefix(line, "source <("), ")")
			words := strings.Fields(line)
			if end := slices.IndexFunc(words, func(w string) bool { return strings.ContainsAny(w, "|&>") }); end > 0 {
				words = words[:end]
			}
			of := find(words[1])
			if words[0] != "goprofinstr" || of == nil {
				t.Errorf("%s: no command line: %q", c.name, line)
				continue
			}
			parse := flags.Parse
			if of.wraps || of.runs {
				parse = (*flag.FlagSet).Parse
			}
			if err := parse(of.flags().Set(of.name), words[2:]); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
}

// TestSpan has ends of spans on the same day, in UTC, and on others. Archives have runs by the day.
func TestSpan(t *testing.T) {
	for _, test := range []struct {
		since, until string
		taken        bool
	}{
		{"2026-01-31T09:00:00Z", "2026-01-31", true},
		{"2026-01-31T09:00:00Z", "2026-01-31T08:00:00Z", true},
		{"2026-01-31T01:00:00+02:00", "2026-01-30", true},
		{"2026-01-31", "2026-01-31T01:00:00+02:00", false},
		{"2026-01-31T00:00:00Z", "2026-01-30T23:59:59Z", false},
		{"", "2026-01-31", true},
		{"2026-01-31", "", true},
	} {
		if _, err := (chosen{since: test.since, until: test.until}).selection(); (err == nil) != test.taken {
			t.Errorf("-since %s -until %s: %v", test.since, test.until, err)
		}
	}
}
