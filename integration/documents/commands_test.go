package documents

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestCommands: commands in documents that nothing runs can be run all the same. A command of goprofinstr is in the reference, with
// its flags. The folders of go test and go run are there, with the tests and flags that are named. The commands of the guide
// are run by package guide, too. The lab and results are left out: they tell of what was run once.
func TestCommands(t *testing.T) {
	names := append(documents(t), "CONTRIBUTING.md", "RATIONALE.md")
	flags, n := readFlags(t), 0
	for _, name := range append(names, documentsIn(t, "examples")...) {
		if isLab(name) || strings.HasPrefix(name, "docs/results/") || name == "docs/guide/troubleshooting.md" {
			continue // a mistake of troubleshooting is a command that cannot be run
		}
		for _, c := range commandsIn(read(t, name)) {
			n++
			if wrong := wrongCommand(c, flags); wrong != "" {
				t.Errorf("%s: %s: %s", name, c, wrong)
			}
		}
	}
	if t.Logf("%d commands", n); n < 200 {
		t.Errorf("%d commands were found, fewer than 200", n)
	}
}

// readFlags returns the names of the flags of each command of goprofinstr, as the reference has them.
func readFlags(t *testing.T) map[string][]string {
	flags := make(map[string][]string)
	for _, section := range strings.Split(read(t, "docs/reference/commands.md"), "\n## goprofinstr ")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		flags[name] = []string{"h"}
		for _, m := range regexp.MustCompile("(?m)^\\| `-([a-z0-9-]+)").FindAllStringSubmatch(text, -1) {
			flags[name] = append(flags[name], m[1])
		}
	}
	return flags
}

var (
	isCommand   = regexp.MustCompile(`^(\(cd|cd|[A-Z_]+=\S+|goprofinstr|gpi|go) `)
	codeCommand = regexp.MustCompile("`((?:goprofinstr|gpi|go run|go test) [^`]+)`")
	between     = regexp.MustCompile(`\s[|;]\s|&&|\s#\s|;\s|[()]`)
	ours        = regexp.MustCompile(`(?:^|\s|/)(?:goprofinstr|gpi)\s+(.*)`)
	tests       = regexp.MustCompile(`(?:^|\s)go (test|run)\s+(.*)`)
)

// commandsIn returns the commands of a document: in sessions, in blocks of code, and in lines. Each is one without pipes.
func commandsIn(text string) (list []string) {
	session := false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		var found []string
		code, indented := strings.CutPrefix(line, "    ")
		input, typed := strings.CutPrefix(line, "$ ")
		switch {
		case strings.HasPrefix(line, "```"):
			session = !session
		case session:
			if typed {
				found = []string{input}
			}
		case indented:
			if isCommand.MatchString(code) {
				found = []string{code}
			}
		default:
			for _, m := range codeCommand.FindAllStringSubmatch(line, -1) {
				found = append(found, m[1])
			}
		}
		for _, f := range found {
			for _, part := range between.Split(f, -1) {
				if part = strings.TrimSpace(part); ours.MatchString(part) || tests.MatchString(part) {
					list = append(list, part)
				}
			}
		}
	}
	return list
}

// wrongCommand returns why a command cannot be run, "" if nothing is known against it.
func wrongCommand(text string, flags map[string][]string) string {
	if m := tests.FindStringSubmatch(text); m != nil {
		if wrong := wrongTest(m[1], strings.Fields(m[2])); wrong != "" {
			return wrong
		}
	}
	m := ours.FindStringSubmatch(text)
	if m == nil || strings.HasPrefix(m[1], "-") || strings.HasPrefix(m[1], "toolexec ") { // which is the go command's to call
		return ""
	}
	words := strings.Fields(m[1])
	known, ok := flags[words[0]]
	if !ok {
		return "the reference has no " + words[0]
	}
	for _, w := range words[1:] {
		if w == "go" || w == "--" || words[0] == "agent" && strings.HasPrefix(w, "./") {
			return "" // what follows is for another command
		}
		if name, _, _ := strings.Cut(strings.TrimLeft(w, "-"), "="); len(w) > 1 && w[0] == '-' && !slices.Contains(known, name) {
			return "the reference has no " + w + " of " + words[0]
		}
	}
	return ""
}

// wrongTest returns why go test or go run cannot do what it is given, "" if nothing is known against it. It knows packages of this
// repository: their folders, and the names of their tests and of their own flags, which have a dot.
func wrongTest(command string, words []string) string {
	source := ""
	for i, w := range words {
		folder, all := strings.CutSuffix(strings.TrimSuffix(w, "/"), "...")
		if folder, ok := strings.CutPrefix(folder, "./"); ok {
			if folder == "" {
				return "" // of the module that one is in
			}
			text, err := sourceOf(folder, all)
			if err != nil {
				return err.Error()
			}
			source += text
			continue
		}
		flag, isFlag := strings.CutPrefix(w, "-")
		switch {
		case !isFlag || source == "":
		case strings.Contains(flag, ".") && !strings.HasPrefix(flag, "test."):
			if name, _, _ := strings.Cut(flag, "="); !strings.Contains(source, `"`+name+`"`) {
				return "there is no flag " + w
			}
		case command == "test" && slices.Contains([]string{"run", "bench", "fuzz"}, flag) && i+1 < len(words):
			for name := range strings.SplitSeq(strings.Trim(words[i+1], "'^$()"), "|") {
				name, _, _ = strings.Cut(name, "/")
				name = strings.Trim(name, "^$()")
				if is := regexp.MustCompile(`(?m)^func (Test|Benchmark|Fuzz|Example)?\w*` + name); !is.MatchString(source) {
					return "there is no test " + name
				}
			}
		}
	}
	return ""
}

// sourceOf returns the source in a folder of this repository, with that of folders in it if all is set.
func sourceOf(folder string, all bool) (string, error) {
	files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	if _, is := os.Stat(filepath.Join(root, folder)); is != nil || err != nil {
		return "", is
	}
	var b strings.Builder
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return "", err
		}
		b.Write(data)
	}
	if len(files) == 0 && !all {
		return "", &os.PathError{Op: "no package in", Path: path.Clean(folder), Err: os.ErrNotExist}
	}
	return b.String(), nil
}

// TestWrongCommand: commands with mistakes are found, and others are not.
func TestWrongCommand(t *testing.T) {
	flags := map[string][]string{"wrap": {"o", "mode"}, "agent": {"http"}}
	const text = "`goprofinstr wrap -o x go test -count=1 .`\n    goprofinstr wrop go test | goprofinstr wrap -n go test\n" +
		"```\n$ goprofinstr agent -http x ./prog -flag && goprofinstr agent --hptt=x\ngoprofinstr prints this\n```\n" +
		"    go test ./integration/documents -run '^TestCommands$|Links'; go test ./integration/documents -run TestNone\n" +
		"    go run ./integration/nosuch  # a comment\n    go test ./integration/documents -documents.none 1\n"
	want := []string{"", "the reference has no wrop", "the reference has no -n of wrap", "", "the reference has no --hptt=x of agent",
		"", "there is no test TestNone", "stat ../../integration/nosuch: no such file or directory", "there is no flag -documents.none"}
	var got []string
	for _, c := range commandsIn(text) {
		got = append(got, wrongCommand(c, flags))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
}
