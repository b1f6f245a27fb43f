package coverage

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/export/internal/samples"
)

// sample is a report with all that formats tell apart.
func sample() *Report {
	files := func(calls int64) []*File {
		return []*File{
			{
				Name: "lex/lex.go", Package: "example.com/m/lex", Statements: 7, Executed: 4,
				Functions: []Function{
					{Name: "Words", Line: 3, EndLine: 9, Count: calls},
					{Name: "(*Set[...]).Add", Line: 11, EndLine: 13},
					{Name: "Words.func1", Line: 5, EndLine: 7, Count: 2 * calls},
				},
				Lines: []Line{
					{Number: 3, Count: calls},
					{Number: 4, Count: calls, Conditions: []Condition{{2, 1}, {2, 0}}},
					{Number: 5, Conditions: []Condition{{0, 0}}},
					{Number: 6, Count: 2 * calls},
					{Number: 8, Count: calls},
					{Number: 11},
					{Number: 12, Conditions: []Condition{{0, 0}, {0, 0}}},
				},
			},
			{Name: "lex/none.go", Package: "example.com/m/lex"},
		}
	}
	return &Report{Files: files(3), Time: time.UnixMilli(1_700_000_000_123).UTC()}
}

// hostile has names that break a format, and the largest counts.
func hostile() *Report {
	const most = math.MaxInt64
	return &Report{
		Files: []*File{{
			Name: "a\"b<c>&'\nd\x00\xff.go", Package: "example.com/\"<&",
			Functions: []Function{{Name: "F[int,\nend_of_record]", Line: 1, EndLine: 3, Count: most}},
			Lines:     []Line{{Number: 1, Count: most}, {Number: 2, Count: most, Conditions: []Condition{{most, most}}}},
		}},
		Tests: []Test{
			{Name: "example.com/m.TestA/b c", Files: []*File{{Name: "m.go", Lines: []Line{{Number: 1, Count: 1}}}}},
			{Name: "example.com/m.TestA/b_c", Files: []*File{{Name: "m.go", Lines: []Line{{Number: 1, Count: 1}}}}},
			{Files: []*File{{Name: "m.go", Lines: []Line{{Number: 1, Count: 1}}}}},
		},
	}
}

// formats are all formats, by the name of the golden file.
var formats = map[string]func(*Report, io.Writer) error{
	"lcov.info":     (*Report).WriteLcov,
	"cobertura.xml": (*Report).WriteCobertura,
	"sonar.xml":     (*Report).WriteSonar,
	"codecov.json":  (*Report).WriteCodecov,
}

func written(t *testing.T, r *Report, write func(*Report, io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(r, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	for name, write := range formats {
		samples.Golden(t, name, written(t, sample(), write))
		samples.Golden(t, "hostile."+name, written(t, hostile(), write))
	}
}

// TestSchemas holds the XML formats to their schemas.
func TestSchemas(t *testing.T) {
	xmllint := tool(t, "xmllint")
	for name, flags := range map[string][]string{
		"cobertura.xml": {"--dtdvalid", "testdata/cobertura.dtd"},
		"sonar.xml":     {"--schema", "testdata/sonar.xsd"},
	} {
		for _, r := range []*Report{sample(), hostile(), {}} {
			file := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(file, written(t, r, formats[name]), 0o666); err != nil {
				t.Fatal(err)
			}
			// Not --nonet alone: it would look for the DTD that the document names.
			out, err := exec.Command(xmllint, append(append([]string{"--noout", "--nonet"}, flags...), file)...).CombinedOutput()
			if err != nil {
				t.Errorf("%s: %v\n%s", name, err, out)
			}
		}
	}
}

// TestCodecovSchema reads what Codecov is given as its documentation describes it.
func TestCodecovSchema(t *testing.T) {
	partial := regexp.MustCompile(`^\d+/\d+$`)
	for _, r := range []*Report{sample(), hostile(), {}} {
		var doc struct {
			Coverage map[string]map[int]any
		}
		d := json.NewDecoder(bytes.NewReader(written(t, r, (*Report).WriteCodecov)))
		d.DisallowUnknownFields()
		d.UseNumber()
		if err := d.Decode(&doc); err != nil {
			t.Fatal(err)
		}
		if len(doc.Coverage) != len(r.Files) {
			t.Errorf("%d files, want %d", len(doc.Coverage), len(r.Files))
		}
		for name, lines := range doc.Coverage {
			for line, v := range lines {
				switch v := v.(type) {
				case json.Number:
					if n, err := v.Int64(); err != nil || n < 0 || n > math.MaxInt32 {
						t.Errorf("%s:%d: %v", name, line, v)
					}
				case string:
					if !partial.MatchString(v) {
						t.Errorf("%s:%d: %q", name, line, v)
					}
				default:
					t.Errorf("%s:%d: %v", name, line, v)
				}
			}
		}
	}
}

// TestLcovReads has lcov sum up tracefiles, and read its own output again.
func TestLcovReads(t *testing.T) {
	lcov := tool(t, "lcov")
	file := filepath.Join(t.TempDir(), "lcov.info")
	if err := os.WriteFile(file, written(t, sample(), (*Report).WriteLcov), 0o666); err != nil {
		t.Fatal(err)
	}
	option := "branch_coverage=1"
	if version, err := exec.Command(lcov, "--version").Output(); err == nil && strings.Contains(string(version), "version 1.") {
		option = "lcov_branch_coverage=1"
	}
	out, err := exec.Command(lcov, "--rc", option, "--summary", file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"(4 of 7 lines)", "(2 of 3 functions)", "(3 of 10 branches)"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(strings.ToLower(string(out)), "warn") {
		t.Errorf("lcov warns:\n%s", out)
	}
}

// tool returns where a tool is, and skips the test where it is not installed.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("no %s here", name)
	}
	return path
}
