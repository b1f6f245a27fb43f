package publish

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const root = "../../.."

var update = flag.Bool("update", false, "write docs/results and the numbers that documents quote")

// TestResults: the pages of docs/results, and all numbers that documents quote, are those of the JSON.
func TestResults(t *testing.T) {
	if testing.Short() {
		t.Skip("makes all pages")
	}
	if *update {
		if _, err := Write(root); err != nil {
			t.Fatal(err)
		}
	}
	stale, err := Stale(root)
	if err != nil {
		t.Error(err)
	}
	for name, text := range stale {
		old, _ := os.ReadFile(filepath.Join(root, name))
		t.Errorf("%s is not of the results; go run ./integration/eval pages (-file +results):\n%s", name,
			cmp.Diff(string(old), string(text)))
	}
}

// report is what an experiment has written: two suites, of one benchmark each.
const report = `{
	"Machine": {"CPU": "A CPU", "Cores": 2, "OS": "A System", "Kernel": "6.1", "Go": "go1.26", "Commit": "0123456789ab",
		"Date": "2026-01-02T03:04:05Z", "Load": "3.00 2.00 1.00", "After": "0.50 1.00 1.00"},
	"Options": "time -run '^(a|b) '", "Took": 61,
	"Measures": [{"Title": "Time, all", "Unit": "ns/op", "Columns": ["plain", "exact"], "Rows": [
		{"Suite": "std", "Name": "sort.A", "Values": {"plain": [1000], "exact": [1126]}},
		{"Suite": "more", "Name": "heap.B", "Values": {"plain": [10], "exact": [12345678]}}]}]
}`

// quoting is a document that quotes the report.
const quoting = `# Cost

It takes [0.00][exact] times as long, at most [0][most].

[exact]: docs/results/time.md#time-all "std; geometric mean; exact"
[most]: docs/results/time.md#time-all "all; maximum; exact"
[other]: https://example.com "elsewhere"
`

// repository returns a root with one report and a document.
func repository(t *testing.T, document string) string {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, Folder), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{Folder + "time.json": report, "README.md": document, Folder + "old.svg": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestWrite: pages are written, what no report has is removed, numbers are filled in, and then all is as it should be.
func TestWrite(t *testing.T) {
	dir := repository(t, quoting)
	names, err := Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"README.md", Folder + "README.md", Folder + "old.svg", Folder + "time.md", Folder + "time.svg"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("files written (-want +got):\n%s", diff)
	}
	for name, parts := range map[string][]string{
		"README.md":        {"[1.13][exact] times", "most [1,234,568][most]."},
		Folder + "time.md": {"## Time, all", `| command | ` + "`" + `go run ./integration/eval time -run '^(a\|b) '`, "**Others were", "1m1s"},
		Folder + "README.md": {"| [Time of benchmarks](time.md) | 0123456789ab | 2026-01-02 | 3.00 | 1m1s |",
			"- Cost of wrap: `go run ./integration/eval wrapcost -n 7`"},
	} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		for _, part := range parts {
			if err != nil || !strings.Contains(string(text), part) {
				t.Errorf("%s: no %q in\n%s%v", name, part, text, err)
			}
		}
	}
	if stale, err := Stale(dir); err != nil || len(stale) > 0 {
		t.Errorf("stale when all is written: %q, %v", slices.Collect(maps.Keys(stale)), err)
	}
}

// TestStale: a number, a page or a picture that is changed by hand is found.
func TestStale(t *testing.T) {
	for _, name := range []string{"README.md", Folder + "README.md", Folder + "time.md", Folder + "time.svg"} {
		dir := repository(t, quoting)
		if _, err := Write(dir); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.Replace(string(text), "1", "7", 1)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(changed), 0o666); err != nil {
			t.Fatal(err)
		}
		stale, err := Stale(dir)
		if names := slices.Collect(maps.Keys(stale)); err != nil || !slices.Equal(names, []string{name}) {
			t.Errorf("%s changed: stale are %q, %v", name, names, err)
		}
	}
}

// TestQuoteErrors: addresses of nothing are errors, which name the document and the link.
func TestQuoteErrors(t *testing.T) {
	for old, test := range map[string]struct{ new, why string }{
		"time.md#time-all":       {"none.md#time-all", "README.md: [exact]: there is no docs/results/none.json"},
		"#time-all":              {"#sizes", "no table #sizes"},
		"std; geometric mean":    {"std; mean", `no row "mean"`},
		"[0.00]":                 {"[twice]", `"twice" is no number`},
		`geometric mean; exact"`: {`geometric mean; sampled"`, `no column "sampled"`},
	} {
		_, err := Stale(repository(t, strings.Replace(quoting, old, test.new, 1)))
		if err == nil || !strings.Contains(err.Error(), test.why) {
			t.Errorf("%s: %v, want %q", test.new, err, test.why)
		}
	}
}
