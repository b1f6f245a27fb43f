package release

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	for v, want := range map[string]string{
		"go1.25.3":         "go1.26",
		"go1.26":           "go1.26",
		"go1.26.8":         "go1.26",
		"go1.27rc1":        "go1.27",
		"go1.27.0":         "go1.27",
		"go1.99":           "go1.27",
		"devel go1.28-abc": "go1.27",
	} {
		if got := Of(v).Lang; got != want {
			t.Errorf("%s: %s, want %s", v, got, want)
		}
	}
	if Supports("go1.25.9") || !Supports("go1.26rc1") || !Supports("devel go1.28-abc") {
		t.Error("wrong releases are supported")
	}
}

// TestTable looks at the order of the entries, and for what nobody has filled in.
func TestTable(t *testing.T) {
	for i, r := range table {
		if i > 0 && Of(r.Lang) != r {
			t.Errorf("%s is not found", r.Lang)
		}
		g := &r.GoCommand
		for _, list := range [][]string{g.BoolFlags, g.ValueFlags, g.TestBoolFlags, g.TestValueFlags, g.LoadFlags, g.CoverFlags,
			g.Settings, g.Analyzers, g.VetDefault, r.Compiler.Inlines, r.Compiler.Escapes, r.Cover.Uncovered} {
			if len(list) == 0 {
				t.Errorf("%s: a list is empty", r.Lang)
			}
		}
		for _, name := range g.VetDefault {
			if !slices.Contains(g.Analyzers, name) {
				t.Errorf("%s: %s is no analyzer", r.Lang, name)
			}
		}
		for _, name := range g.LoadFlags {
			if !slices.Contains(slices.Concat(g.BoolFlags, g.ValueFlags), name) {
				t.Errorf("%s: -%s is no flag of go build", r.Lang, name)
			}
		}
	}
}

// TestHelp holds the flags of the entry of the go command in PATH against what that says about itself. It says what
// kind they are: -race, but -p n.
func TestHelp(t *testing.T) {
	g := &Of(run(t, "env", "GOVERSION")).GoCommand
	bools, values := slices.Concat(g.BoolFlags, g.TestBoolFlags), slices.Concat(g.ValueFlags, g.TestValueFlags)
	seen := 0
	for _, topic := range []string{"build", "testflag", "test"} {
		help := run(t, "help", topic)
		for _, m := range regexp.MustCompile(`(?m)^\t-([a-z]\w*)( [^ \n].*)?$`).FindAllStringSubmatch(help, -1) {
			name, value := m[1], m[2]
			if name == "C" || name == "args" || name == "o" {
				continue // understood by other code, or not a flag of all of these commands
			}
			seen++
			if !slices.Contains(bools, name) && !slices.Contains(values, name) {
				t.Errorf("go help %s: -%s%s is not in the table", topic, name, value)
			}
			if slices.Contains(bools, name) && value != "" {
				t.Errorf("go help %s: -%s%s has a value", topic, name, value)
			}
		}
	}
	if seen < 50 {
		t.Errorf("%d flags found in the go command's help", seen)
	}
}

func run(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// TestKnows: a release that comes after those of the table is none of them, although it is taken for the last.
func TestKnows(t *testing.T) {
	for version, want := range map[string]bool{
		"go1.26.8": true, "go1.27rc1": true, "go1.25.3": false, "go1.99": false, "devel go1.27-abcdef": false, "": false,
	} {
		if Knows(version) != want {
			t.Errorf("%q: %t", version, !want)
		}
	}
}
