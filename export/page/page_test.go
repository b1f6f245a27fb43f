package page

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/internal/samples"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// lex is a profile of the package of profiletest, with its source.
func lex(t testing.TB) *profile.Profile {
	t.Helper()
	r := profiletest.NewRun(1, 0, nil, profiletest.Lex())
	profiletest.CallWords(r, 1000, "the quick brown fox\tjumps over")
	r.Call("example.com/m/lex.Must", 12, 1, 3)
	return load(t, r, "lex/lex.go", profiletest.LexSource)
}

// load returns the profile of a run of a program with one file.
func load(t testing.TB, r *profiletest.Run, name, source string) *profile.Profile {
	t.Helper()
	p, err := profile.New([]*rundata.Run{r.Data()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Root = t.TempDir()
	name = filepath.Join(p.Root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	return p
}

// get returns what a site answers for an address.
func get(t testing.TB, s *Site, url string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, url, nil)
	r.Host = "localhost:8080"
	s.Handler(true).ServeHTTP(w, r)
	return w
}

// TestPages has something from each page, and what is on none.
func TestPages(t *testing.T) {
	s := New(lex(t), "m")
	for _, test := range []struct {
		url  string
		code int
		want []string
	}{
		{"/", 200, []string{"<h1>example.com/m/lex</h1>", `Exact counts of <abbr title="the data of one process`, `<abbr title="executions of a path × its branches`, `<abbr title="left as it was`, `href="/f/example.com/m/lex.Words?path=9"`, "Largest holes", `href="/p/example.com/m/lex"`, "an edge of a deferred call"}},
		{"/p/example.com/m/lex", 200, []string{"lex.Words", "Branches missing", "declined</abbr>: an edge of a deferred call"}},
		{"/p/example.com/m/lex?sort=name", 200, []string{`href="?sort=name" aria-current="true"`}},
		{"/f/example.com/m/lex.Words", 200, []string{`<tr data-path="9">`, `data-l="6"`, `"exit":9`}},
		{"/f/example.com/m/lex.Words?path=9", 200, []string{`href="/f/example.com/m/lex.Words?path=9" aria-current="true"`}},
		{"/f/example.com/m/lex.Words?path=4", 200, []string{`<tr data-path="4">`, ">never</td>", `"4":{"start":`}},
		{"/f/example.com/m/lex.Words?path=77", 200, []string{`<tr data-path="9">`}},
		{"/f/example.com/m/lex.Words?path=x", 200, []string{`<tr data-path="9">`}},
		{"/f/example.com/m/lex.unused", 200, []string{"This function was not called"}},
		{"/f/example.com/m/lex.recovers", 200, []string{"This function was left as it was and has no counts"}},
		{"/f/example.com/m/lex.None", 404, []string{"There is no such page", "/search?q=lex.None"}},
		{"/p/none", 404, []string{"There is no such page"}},
		{"/none", 404, []string{"There is no such page"}},
		{"/search?q=WORDS", 200, []string{`href="/f/example.com/m/lex.Words"`}},
		{"/search?q=lex.go+wor&part=1", 200, []string{`href="/f/example.com/m/lex.Words"`}},
		{"/p/example.com/m/lex", 200, []string{`href="/s/example.com/m/lex/lex.go">lex.go`}},
		{"/s/example.com/m/lex/lex.go", 200, []string{"<h1>lex.go", `id="L7"`, `href="/f/example.com/m/lex.Words?line=7"`}},
		{"/s/example.com/m/lex/none.go", 404, []string{"There is no such page"}},
		{"/f/example.com/m/lex.Words?line=8&part=1", 200, []string{"paths through this line", `?path=`}},
		{"/f/example.com/m/lex.Words?line=99&part=1", 200, []string{"No path that ended comes through this line"}},
		{"/f/example.com/m/lex.recovers?line=34&part=1", 200, []string{"No path that ended comes through this line"}},
		{"/search?q=lex.go", 200, []string{`href="/s/example.com/m/lex/lex.go"`}},
		{"/search?q=none", 200, []string{"No function or file is called so"}},
		{"/assets/page.js", 200, []string{"class Fn"}},
		{"/assets/none.js", 404, nil},
		{"/assets/..%2fpage.go", 400, nil},
	} {
		w := get(t, s, test.url)
		if w.Code != test.code {
			t.Errorf("%s: status %d, want %d", test.url, w.Code, test.code)
		}
		for _, want := range test.want {
			if !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s: no %q in\n%s", test.url, want, w.Body)
			}
		}
	}
}

// TestUnknownShares: where nothing tells how often some paths were executed no share is a number that looks right, and
// instrumented functions are in the list of those that take time.
func TestUnknownShares(t *testing.T) {
	r := profiletest.NestedRun(1)
	r.Data().Replicates = nil
	main := r.Context(pcct.Node{Parent: -1, Time: 2e8, Samples: 20, Frames: []pcct.Frame{{Name: "main.main", File: "m.go", Line: 9, StartLine: 5}}})
	called := r.Context(pcct.Node{Parent: main, Frames: []pcct.Frame{{Name: "example.com/m.F", File: "/src/m/m.go", Line: 5, StartLine: 1}}})
	r.Context(pcct.Node{Parent: called, Time: 18e9, Samples: 1800, Frames: []pcct.Frame{{Name: "fmt.Println", File: "fmt.go", Line: 5, StartLine: 1}}})
	s := New(samples.Load(t, r), "m")
	for _, url := range []string{"/", "/f/example.com/m.F", "/p/example.com/m"} {
		text := get(t, s, url).Body.String()
		if got := regexp.MustCompile(`<td class="n"[^>]*>[0-9.]+%</td><td class="barcell">`).FindString(text); got != "" || !strings.Contains(text, "≥") && !strings.HasPrefix(url, "/p") {
			t.Errorf("%s: %q in\n%s", url, got, text)
		}
	}
	if text := get(t, s, "/").Body.String(); !strings.Contains(text, `data-h="with callees">~98.9%</td><td class="n" data-h="calls">`) {
		t.Errorf("no time of F with its callees in\n%s", text)
	}
}

// TestEstimatedShares: shares of estimates have the digits that are known, those of packages and of predicted paths as well.
func TestEstimatedShares(t *testing.T) {
	const other = "example.com/m/p"
	must := profiletest.Lex().Functions[1]
	must.Name, must.File = other+".Must", "p/p.go"
	r := profiletest.NewRun(1, 0, nil, profiletest.Sampled(profiletest.Lex()), profiletest.Sampled(profiletest.Package(other, must)))
	r.Sample("example.com/m/lex.Words", 100, 30, nil, 0, 2, 12)
	r.Sample("example.com/m/lex.Words", 50, 15, nil, 0, 1, 4, 6, 9, 11)
	r.Sample(must.Name, 20, 6, nil, 1, 3)
	s := New(samples.Load(t, r), "m")
	open := profiletest.NestedRun(1)
	open.Data().Replicates = nil
	unknown := New(samples.Load(t, open), "m")
	got := []string{s.overview.Predicted, s.packages[0].FlowShare(s.flow), s.packages[1].FlowShare(s.flow),
		unknown.overview.Predicted, unknown.packages[0].FlowShare(unknown.flow)}
	if diff := cmp.Diff([]string{"~70%", "~94%", "?", "", "?"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if text := get(t, s, "/").Body.String(); !strings.Contains(text, `data-h="flow">~94%<`) {
		t.Errorf("no share of the package in\n%s", text)
	}
}

// TestAccess: pages on a loopback address are for this machine, and for reading.
func TestAccess(t *testing.T) {
	s := New(lex(t), "m")
	for _, test := range []struct {
		method, host string
		loopback     bool
		want         int
	}{
		{"GET", "localhost:8080", true, 200},
		{"GET", "LOCALHOST", true, 200},
		{"GET", "127.0.0.1:8080", true, 200},
		{"GET", "[::1]:8080", true, 200},
		{"GET", "rebound.example:8080", true, 403},
		{"GET", "localhost.example", true, 403},
		{"GET", "127.0.0.1.example", true, 403},
		{"GET", "10.0.0.1", true, 403},
		{"GET", "", true, 403},
		{"GET", "profiles.example", false, 200},
		{"HEAD", "localhost", true, 200},
		{"POST", "localhost", true, 405},
		{"DELETE", "localhost", true, 405},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(test.method, "/", nil)
		r.Host = test.host
		s.Handler(test.loopback).ServeHTTP(w, r)
		if w.Code != test.want {
			t.Errorf("%s for %q: status %d, want %d", test.method, test.host, w.Code, test.want)
		}
		if csp := w.Header().Get("Content-Security-Policy"); w.Code == 200 && (!strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe")) {
			t.Errorf("policy %q", csp)
		}
	}
}

// TestModified: a source that was modified after the run is shown with a warning, even if all blocks are where they were.
func TestModified(t *testing.T) {
	p := lex(t)
	for _, test := range []struct {
		when time.Duration // after the run
		want bool
	}{{time.Hour, true}, {-time.Hour, false}} {
		at := p.Runs[0].Start.Add(test.when)
		if err := os.Chtimes(filepath.Join(p.Root, "lex", "lex.go"), at, at); err != nil {
			t.Fatal(err)
		}
		text := get(t, New(p, "m"), "/f/example.com/m/lex.Words").Body.String()
		if strings.Contains(text, "was modified after the run") != test.want || !strings.Contains(text, "data-b=") {
			t.Errorf("%v after the run: want a warning: %v\n%s", test.when, test.want, text)
		}
	}
}

// TestNoSource: without the source, everything else is there, and the page says what is wrong.
func TestNoSource(t *testing.T) {
	p := lex(t)
	if err := os.WriteFile(filepath.Join(p.Root, "lex", "lex.go"), []byte("package lex\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	text := get(t, New(p, "m"), "/f/example.com/m/lex.Words").Body.String()
	for _, want := range []string{"No source here", "has changed since the run", `<tr data-path="9">`, `"exit":9`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestEdited: pages of a function that has been edited have what is left of it, with its counts, and say what has changed.
func TestEdited(t *testing.T) {
	p := lex(t)
	p.LineSums = map[string][]byte{"lex/lex.go": profiledir.LineSums(profiletest.LexSource)}
	name := filepath.Join(p.Root, "lex", "lex.go")
	source := strings.NewReplacer("package lex\n", "package lex\n\n/*\n*/\n", "in = false", "in = 1 < 0", "\t\tif !in {", "\n\t\tif !in {").
		Replace(profiletest.LexSource)
	if err := os.WriteFile(name, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	const says = "has changed since the run: lex.Words has changed on line 8"
	want := []string{
		"3 |-1:// Words counts the words of s.",
		"4 1,000|-1:func Words(s string) (n int) |0:{",
		"5 1,000|0:in := false",
		"6 31,000|-1:for i := 0; |1:i < len(s); |7:i++ {",
		"7 30,000|2:if s[i] == ' ' || |3:s[i] == '\\t' {",
		"8 |-1:// changed since the run",
		"9 5,000|4:continue",
		"10 |-1:}",
		"11 25,000|5:if !in {",
		"12 6,000|6:n++",
		"13 6,000|6:in = true",
		"14 |-1:}",
		"15 |-1:}",
		"16 1,000|8:return n",
		"17 |-1:}",
	}
	s := New(p, "m")
	if diff := cmp.Diff(want, painted(t, s, "example.com/m/lex.Words")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if text := get(t, s, "/f/example.com/m/lex.Words").Body.String(); !strings.Contains(text, says) {
		t.Errorf("no %q in\n%s", says, text)
	}
	v := s.newFileView(s.files[0])
	if len(v.Notes) != 1 || !strings.Contains(v.Notes[0], says) {
		t.Errorf("notes %q", v.Notes)
	}
	lines := written(v.Lines)
	for _, want := range []string{"12 5,000|4:continue", "15 25,000|5:if !in {", "11 |-1:in = 1 < 0", "20 1,000|8:return n"} {
		if !slices.Contains(lines, want) {
			t.Errorf("no line %s in\n%s", want, strings.Join(lines, "\n"))
		}
	}
}

// TestVerified: that a file was modified is no reason to doubt lines that are those of the run.
func TestVerified(t *testing.T) {
	p := lex(t)
	p.LineSums = map[string][]byte{"lex/lex.go": profiledir.LineSums(profiletest.LexSource)}
	at := p.Runs[0].Start.Add(time.Hour)
	if err := os.Chtimes(filepath.Join(p.Root, "lex", "lex.go"), at, at); err != nil {
		t.Fatal(err)
	}
	if text := get(t, New(p, "m"), "/f/example.com/m/lex.Words").Body.String(); strings.Contains(text, "was modified after the run") {
		t.Error("a warning of a file that is what it was")
	}
}

// painted writes the lines of a function with their counts and blocks.
func painted(t *testing.T, s *Site, name string) []string {
	t.Helper()
	v, problem := s.source(s.byID[name])
	if v == nil {
		t.Fatal(problem)
	}
	return written(v.Lines)
}

// written writes lines with their counts and blocks.
func written(list []lineView) []string {
	var lines []string
	for _, l := range list {
		var b strings.Builder
		fmt.Fprintf(&b, "%d %s", l.Number, l.Count)
		for _, seg := range l.Segments {
			text := ""
			for _, part := range seg.Parts {
				for _, t := range part.Texts {
					text += t.Text
				}
			}
			if text = strings.Trim(text, "\t"); text != "" {
				fmt.Fprintf(&b, "|%d:%s", seg.Block, text)
			}
		}
		lines = append(lines, b.String())
	}
	return lines
}

// TestPainter divides the source of Words into blocks, and what comes between them.
func TestPainter(t *testing.T) {
	want := []string{
		"3 |-1:// Words counts the words of s.",
		"4 1,000|-1:func Words(s string) (n int) |0:{",
		"5 1,000|0:in := false",
		"6 31,000|-1:for i := 0; |1:i < len(s); |7:i++ {",
		"7 30,000|2:if s[i] == ' ' || |3:s[i] == '\\t' {",
		"8 5,000|4:in = false",
		"9 5,000|4:continue",
		"10 |-1:}",
		"11 25,000|5:if !in {",
		"12 6,000|6:n++",
		"13 6,000|6:in = true",
		"14 |-1:}",
		"15 |-1:}",
		"16 1,000|8:return n",
		"17 |-1:}",
	}
	if diff := cmp.Diff(want, painted(t, New(lex(t), "m"), "example.com/m/lex.Words")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPainterLineDirective: lines are those of the file, not those that a directive in it claims.
func TestPainterLineDirective(t *testing.T) {
	p := lex(t)
	name := filepath.Join(p.Root, "lex", "lex.go")
	source := strings.Replace(profiletest.LexSource, "// Words counts the words of s.", "//line grammar.y:900", 1)
	if err := os.WriteFile(name, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	if got, want := painted(t, New(p, "m"), "example.com/m/lex.Words")[4], "7 30,000|2:if s[i] == ' ' || |3:s[i] == '\\t' {"; got != want {
		t.Errorf("line %s, want %s", got, want)
	}
}

// TestPainterLiterals leaves function literals out, on one line and on several.
func TestPainterLiterals(t *testing.T) {
	const source = "package p\n\nfunc F() {\n\tg(func() { h() }, 1)\n\tg(func() {\n\t\th()\n\t},\n\t\t2)\n}\n"
	one := func(name string, body table.Block, blocks ...table.Block) table.Function {
		return table.Function{
			Name: name, File: "p.go", Line: body.Line, EndLine: body.EndLine, Body: body, Blocks: append(blocks, table.Block{}), Exit: 1,
			Edges: []table.Edge{{From: 0, To: 1, Kind: table.Return}},
		}
	}
	r := profiletest.NewRun(1, 0, nil, profiletest.Package("m/p",
		one("m/p.F", table.Block{Line: 3, Col: 10, EndLine: 9, EndCol: 2}, table.Block{Line: 4, Col: 2, EndLine: 5, EndCol: 3}),
		one("m/p.F.func1", table.Block{Line: 4, Col: 11, EndLine: 4, EndCol: 18}, table.Block{Line: 4, Col: 13, EndLine: 4, EndCol: 16}),
		one("m/p.F.func2", table.Block{Line: 5, Col: 11, EndLine: 7, EndCol: 3}, table.Block{Line: 6, Col: 3, EndLine: 6, EndCol: 6}),
	))
	r.Call("m/p.F", 1, 0)
	r.Call("m/p.F.func2", 7, 0)
	s := New(load(t, r, "p.go", source), "m")
	for name, want := range map[string][]string{
		"m/p.F":       {"3 |-1:func F() {", "4 1|0:g(func() {|-1: h() |0:}, 1)", "5 1|0:g(func() {", "6 |-1:h()", "7 1|0:},", "8 1|0:2)", "9 |-1:}"},
		"m/p.F.func1": {"4 0|-1:g(func() { |0:h() }, 1)"},
		"m/p.F.func2": {"5 |-1:g(func() {", "6 7|0:h()", "7 |-1:},"},
	} {
		if diff := cmp.Diff(want, painted(t, s, name)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
