package completion

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
)

// commands are two, of which one runs go commands.
func commands() []Command {
	var format, out, mode string
	var open bool
	return []Command{
		{Name: "report", Short: "print", Words: []string{"words"}, Flags: flags.Table{Flags: []flags.Flag{
			{Name: "format", Var: &format, Choices: []flags.Choice{{Value: "text", Usage: "short,\n\t\tfolded up"}, {Value: "json"}}},
			{Name: "o", Var: &out, Usage: "write there"},
			{Name: "open", Var: &open, Usage: "open a browser"},
		}}},
		{Name: "wrap", Wraps: true, Flags: flags.Table{Flags: []flags.Flag{
			{Name: "mode", Var: &mode, Values: []string{"exact", "sampled"}},
		}}},
	}
}

func TestComplete(t *testing.T) {
	for line, want := range map[string]string{
		"":                       "report wrap",
		"re":                     "report",
		"nosuch ":                "",
		"report ":                "words",
		"report w":               "words",
		"report -":               "-format -o -open",
		"report -o":              "-o -open",
		"report -format ":        "text json",
		"report --format ":       "text json",
		"report -format j":       "json",
		"report -o ":             "", // the shell completes files
		"report -open ":          "words",
		"report -open x ":        "",
		"report x -form":         "-format",
		"report -format json -o": "-o -open",
		"report x -format ":      "text json",
		"wrap ":                  "go",
		"wrap -mode s":           "sampled",
		"wrap -mode sampled ":    "go",
		"wrap -- ":               "go",
		"wrap -mode sampled go ": "test build run install",
		"wrap go test ":          "./...",
		"wrap go test -":         "",
	} {
		var got []string
		for _, c := range Complete(commands(), strings.Split(line, " ")) {
			got = append(got, c.Word)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestAbout(t *testing.T) {
	for _, c := range Complete(commands(), []string{"report", "-format", "t"}) {
		if c.About != "short" {
			t.Errorf("%q, want the words up to the comma", c.About)
		}
	}
}

// TestScripts has the shells that there are read their scripts.
func TestScripts(t *testing.T) {
	for shell, script := range Scripts {
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("no %s here", shell)
			continue
		}
		cmd := exec.Command(path, "-n")
		cmd.Stdin = strings.NewReader(script)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", shell, err, out)
		}
	}
}
