package gate_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/goprofinstr/goprofinstr/export/gate"
	"github.com/goprofinstr/goprofinstr/export/internal/samples"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// checked is the result of a check of sample that fails in everything.
func checked(t *testing.T) *gate.Result {
	t.Helper()
	least := make(map[gate.Measure]float64)
	for _, m := range gate.Measures {
		least[m] = 100
	}
	p := samples.Sample(t)
	for _, f := range p.Functions() {
		if !f.Declined() {
			f.Table.Pairs = &table.Pairs{Storage: table.StorageHash} // which were counted, and none was executed
		}
	}
	hostile := p.Functions()[0].Table
	hostile.File, hostile.Name = "a b/100%,x:\n::error.go", "m.F\n::error::"
	r, err := gate.Check(p, gate.Options{Min: least, Most: 3})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSARIF makes sure that what SARIF 2.1.0 requires is there (the required properties of its schema, and its minima).
func TestSARIF(t *testing.T) {
	var b bytes.Buffer
	if err := gate.WriteSARIF(&b, checked(t), "sub/"); err != nil {
		t.Fatal(err)
	}
	var log map[string]any
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	if log["version"] != "2.1.0" || !strings.Contains(text(t, log, "$schema"), "sarif-2.1.0") {
		t.Errorf("version %v of %v", log["version"], log["$schema"])
	}
	runs := log["runs"].([]any)
	for _, run := range runs {
		run := run.(map[string]any)
		driver := run["tool"].(map[string]any)["driver"].(map[string]any)
		text(t, driver, "name")
		rules := driver["rules"].([]any)
		for _, rule := range rules {
			text(t, rule.(map[string]any), "id")
			for _, name := range []string{"shortDescription", "fullDescription", "help"} {
				text(t, rule.(map[string]any)[name].(map[string]any), "text")
			}
			text(t, rule.(map[string]any), "helpUri")
		}
		results := run["results"].([]any)
		if len(results) == 0 {
			t.Error("no results")
		}
		for _, result := range results {
			checkSARIFResult(t, result.(map[string]any), rules)
		}
	}
	if len(runs) != 1 {
		t.Errorf("%d runs", len(runs))
	}
}

func checkSARIFResult(t *testing.T, result map[string]any, rules []any) {
	t.Helper()
	text(t, result["message"].(map[string]any), "text") // all that the schema requires of a result
	index := int(result["ruleIndex"].(float64))
	if id := rules[index].(map[string]any)["id"]; id != result["ruleId"] {
		t.Errorf("rule %v at the index of %v", id, result["ruleId"])
	}
	if level := text(t, result, "level"); level != "error" {
		t.Errorf("level %s", level)
	}
	for _, location := range result["locations"].([]any) {
		physical := location.(map[string]any)["physicalLocation"].(map[string]any)
		uri := text(t, physical["artifactLocation"].(map[string]any), "uri")
		if strings.ContainsAny(uri, " \n") || !strings.HasPrefix(uri, "sub/") {
			t.Errorf("uri %q", uri)
		}
		if line := physical["region"].(map[string]any)["startLine"].(float64); line < 1 {
			t.Errorf("startLine %v", line)
		}
	}
}

// TestSARIFScheme makes sure that no path is taken for a URI with a scheme.
func TestSARIFScheme(t *testing.T) {
	for file, want := range map[string]string{"a:b.go": "./a:b.go", "a/b:c.go": "a/b:c.go", "./a.go": "a.go"} {
		r := checked(t)
		r.Missing = r.Missing[:1]
		r.Missing[0].Function.Table.File = file
		var b strings.Builder
		if err := gate.WriteSARIF(&b, r, ""); err != nil {
			t.Fatal(err)
		}
		if want := `"uri": "` + want + `"`; !strings.Contains(b.String(), want) {
			t.Errorf("%s: no %s in\n%s", file, want, b.String())
		}
	}
}

// text returns a property that must be a string and not empty.
func text(t *testing.T, object map[string]any, key string) string {
	t.Helper()
	s, ok := object[key].(string)
	if !ok || s == "" {
		t.Errorf("%s is %v, want a string", key, object[key])
	}
	return s
}

// TestGithub makes sure that GitHub shows the gates first, and no more than it shows at all. The log must have
// everything, and nothing in names may get out of its line.
func TestGithub(t *testing.T) {
	r := checked(t)
	var b bytes.Buffer
	if err := gate.WriteGithub(&b, r, ""); err != nil {
		t.Fatal(err)
	}
	commands, log, ok := strings.Cut(b.String(), "::group::goprofinstr check\n")
	if !ok {
		t.Fatalf("no log in\n%s", b.String())
	}
	first, rest, _ := strings.Cut(commands, "\n")
	for _, m := range gate.Measures[:3] {
		if !strings.Contains(first, string(m)+" coverage") {
			t.Errorf("no gate on %ss in %q", m, first)
		}
	}
	seen := make(map[string]bool)
	for line := range strings.Lines(rest) {
		if !strings.HasPrefix(line, "::error file=") || strings.Contains(line, "file=a b/100%,") {
			t.Errorf("line %q", line)
		}
		_, title, _ := strings.Cut(line, ",title=")
		title, _, _ = strings.Cut(title, "::")
		seen[title] = true
	}
	if n := strings.Count(commands, "\n"); n != 10 || len(seen) != 4 {
		t.Errorf("%d annotations, %v; want 10 of four kinds:\n%s", n, seen, commands)
	}
	log = strings.TrimSuffix(log, "::endgroup::\n")
	for line := range strings.Lines(log) {
		if strings.HasPrefix(line, "::") {
			t.Errorf("log: line %q", line)
		}
	}
	if !strings.HasPrefix(log, "FAIL  path coverage") {
		t.Errorf("log:\n%s", log)
	}
}

// TestColumns makes sure that annotations and SARIF have the columns that are known.
func TestColumns(t *testing.T) {
	p := samples.Sample(t)
	r, err := gate.Check(p, gate.Options{Min: map[gate.Measure]float64{gate.Condition: 100}, Most: 3})
	if err != nil {
		t.Fatal(err)
	}
	r.Missing[0].Line, r.Missing[0].Col = 12, 34
	var github, sarif bytes.Buffer
	if err := errors.Join(gate.WriteGithub(&github, r, ""), gate.WriteSARIF(&sarif, r, "")); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(github.String(), ",line=12,col=34,title=") {
		t.Errorf("no column in\n%s", github.String())
	}
	if !strings.Contains(sarif.String(), `"startColumn": 34`) || strings.Contains(sarif.String(), `"startColumn": 0`) {
		t.Errorf("columns in\n%s", sarif.String())
	}
}

// TestPassed makes sure that there is one line if all is well.
func TestPassed(t *testing.T) {
	p := samples.Sample(t)
	r, err := gate.Check(p, gate.Options{Min: map[gate.Measure]float64{gate.Condition: 0, gate.Branch: 0}})
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(io.Writer) error{
		"text":   func(w io.Writer) error { return gate.WriteText(w, r) },
		"github": func(w io.Writer) error { return gate.WriteGithub(w, r, "") },
	} {
		var b strings.Builder
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		if text := b.String(); strings.Count(text, "\n") != 1 || !strings.HasPrefix(text, "ok    branch coverage 57.3% (47 of 82), want 0%; condition") {
			t.Errorf("%s: %q", name, text)
		}
	}
}

// TestCheckText makes sure that nothing in names gets out of its line, and that lines fit.
func TestCheckText(t *testing.T) {
	r := checked(t)
	var b bytes.Buffer
	for name, w := range map[string]func(io.Writer, *gate.Result) error{"text": gate.WriteText, "json": gate.WriteJSON} {
		b.Reset()
		if err := w(&b, r); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if name == "text" && utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > 80 {
				t.Errorf("%d columns: %s", utf8.RuneCountInString(line), line)
			}
			if strings.HasPrefix(line, "::") {
				t.Errorf("%s: line %q", name, line)
			}
		}
	}
}

// TestJSONNumbers makes sure that no count is a string.
func TestJSONNumbers(t *testing.T) {
	r := &gate.Result{
		Gates: []gate.Gate{{Measure: gate.Path, Coverage: gate.Coverage{
			Covered: 1, Possible: new(big.Int).Lsh(big.NewInt(1), 70), Doubtful: big.NewInt(2),
		}}},
		Infeasible: big.NewInt(3),
		More:       map[gate.Measure]*big.Int{gate.Path: big.NewInt(4)},
	}
	var b strings.Builder
	if err := gate.WriteJSON(&b, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"version": 2`, `"possible": 1180591620717411303424`, `"infeasible": 3`, `"doubtful": 2`, `"count": 4`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
}

// TestMarkdown makes sure that nothing in names gets out of its cell: rows of a table have as many cells as its head.
func TestMarkdown(t *testing.T) {
	var b bytes.Buffer
	if err := gate.WriteMarkdown(&b, checked(t), ""); err != nil {
		t.Fatal(err)
	}
	cells, rows := 0, 0
	for line := range strings.Lines(b.String()) {
		switch {
		case !strings.HasPrefix(line, "|"):
			cells = 0
		case cells == 0:
			cells = strings.Count(line, "|")
		case strings.Count(line, "|") != cells:
			t.Errorf("%d cells, want %d: %s", strings.Count(line, "|")-1, cells-1, line)
		default:
			rows++
		}
		if strings.HasPrefix(line, "::") || strings.ContainsAny(line, "\x1b`") {
			t.Errorf("names get out of their cell: %s", line)
		}
	}
	if rows < 4 {
		t.Errorf("%d rows in\n%s", rows, b.String())
	}
}
