// Package reference holds docs/reference against the types and comments that its pages are made of.
//
//	go test ./integration/reference -update    # writes the pages anew
//
// The page of commands is the command's own: see `go test ./cmd/goprofinstr -run Reference`.
package reference

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	root   = "../.."
	module = "github.com/goprofinstr/goprofinstr/"
	pages  = root + "/docs/reference"
)

var update = flag.Bool("update", false, "write the pages anew")

// A schema is JSON that is written of the type of a package.
type schema struct {
	title   string
	version string // the constant with the version of the schema
	about   string
	pkg     string   // where constant and types are, in the module
	types   []string // those that are written, with all that they have
}

// schemas are the JSON that other programs read.
var schemas = []schema{
	{"report", "JSONVersion", "`goprofinstr report -format json` writes it.", "export/report", []string{"jsonReport"}},
	{"check", "JSONVersion", "`goprofinstr check -format json` writes it.", "export/gate", []string{"jsonCheck"}},
	{"diff", "JSONVersion", "`goprofinstr diff -format json` writes it.", "export/compare", []string{"jsonDiff"}},
	{"export", "JSONVersion", "`goprofinstr export -format json` writes an object with `version`, `mode`, `functions`, " +
		"which is a list of [function](#export-function), and `events`, a list of [events](#export-events). " +
		"Member `damaged` is a list of objects as in the report. The last two are missing where there are none.",
		"export", []string{"jsonFunction", "jsonEvents"}},
	{"markers", "MarkersVersion", "`goprofinstr export -format markers` writes it.", "export", []string{"markersFile"}},
	{"audit", "JSONVersion", "`goprofinstr audit` writes it to `audit.json`, and `audit -from DIR -format json` prints it.",
		"export/audit", []string{"Report"}},
	{"select", "JSONVersion", "`goprofinstr select -format json` writes it.",
		"cmd/goprofinstr/internal/selection", []string{"jsonSelection"}},
	{"version", "JSONVersion", "`goprofinstr version -json` writes it.", "cmd/goprofinstr/internal/version", []string{"Info"}},
}

// TestJSON: json.md has the fields of what is written as JSON.
func TestJSON(t *testing.T) {
	var b strings.Builder
	b.WriteString("# JSON\n\n" +
		"`go test ./integration/reference -update` writes this page; change the types in the source instead.\n\n" +
		"A version of a schema stays as long as fields are added only: see [What stays as it is](compatibility.md). " +
		"A field with *?* may be missing.\n")
	s := load(t)
	for _, j := range schemas {
		fmt.Fprintf(&b, "\n## %s, version %s\n\n%s\n", j.title, s.version(t, j), j.about)
		s.write(t, &b, j)
	}
	hold(t, "json.md", b.String())
}

// TestFiles: files.md has the formats of files of a profile directory, as they are drawn where they are written.
func TestFiles(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Files of a profile directory\n\n" +
		"`go test ./integration/reference -update` writes this page; change comments and types in the source instead.\n\n" +
		"[Files and formats](../guide/formats.md) says what each file is for. `goprofinstr version -m` lists the versions " +
		"that are read.\n\n## run.*.gpi\n")
	b.WriteString("\n" + markdown(t, "rt/runfile/format.go", "// The run file"))
	s := load(t)
	j := schema{"table", "Version", "", "ssacfg/table", []string{"Package"}}
	fmt.Fprintf(&b, "\n## tables, version %s\n\n%s", s.version(t, j), markdown(t, "ssacfg/table/codec.go", "// An encoded table"))
	s.write(t, &b, j)
	j = schema{"manifest", "ManifestVersion", "", "export/profiledir", []string{"Manifest"}}
	fmt.Fprintf(&b, "\n## goprofinstr.json, version %s\n", s.version(t, j))
	s.write(t, &b, j)
	hold(t, "files.md", b.String())
}

// hold compares a page with what it should be, or writes it.
func hold(t *testing.T, name, want string) {
	t.Helper()
	name = filepath.Join(pages, name)
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), want); diff != "" {
		t.Errorf("%s is not of these sources; go test ./integration/reference -update (-page +sources):\n%s", name, diff)
	}
}

// markdown returns a comment of a file, which begins so, with its drawings set off.
func markdown(t *testing.T, file, begin string) string {
	data, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(data), "\n"+begin)
	if !ok {
		t.Fatalf("%s has no comment that begins %q", file, begin)
	}
	var b strings.Builder
	for line := range strings.Lines(begin + text) {
		text, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "//")
		if !ok {
			break
		}
		if drawn, ok := strings.CutPrefix(text, "\t"); ok {
			b.WriteString("    " + drawn + "\n")
		} else {
			b.WriteString(strings.TrimPrefix(text, " ") + "\n")
		}
	}
	return b.String()
}
