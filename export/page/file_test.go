package page

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/internal/samples"
)

// lexFile is the source of package lex with the counts of all its functions.
var lexFile = []string{
	"package lex", "", "// Words counts the words of s.", "1,000 func Words(s string) (n int) {", "1,000 in := false",
	"31,000 for i := 0; [i < len(s)]; i++ {", "30,000 if [s[i] == ' '] || [s[i] == '\\t'] {", "5,000 in = false", "5,000 continue", "}",
	"25,000 if ![in] {", "6,000 n++", "6,000 in = true", "}", "}", "1,000 return n", "}", "",
	"// Must returns s, which must not be empty.", "12 func Must(s string) string {", "12 if [s == \"\"]! {", `0 panic("empty")`, "}", "12 return s", "}", "",
	`0 func Version() string { return "1" }`, "", "0 func unused(a, b bool) {}", "", "func recovers() { defer func() { recover() }() }",
}

// marked writes lines with their counts, conditions in brackets, and "!" behind those of which an outcome is missing.
func marked(list []lineView) []string {
	var lines []string
	for _, l := range list {
		line := ""
		for _, seg := range l.Segments {
			for _, s := range seg.Parts {
				text := ""
				for _, t := range s.Texts {
					text += t.Text
				}
				if s.Says != "" {
					text = "[" + text + "]"
				}
				if s.Hole {
					text += "!"
				}
				line += text
			}
		}
		lines = append(lines, strings.TrimSpace(l.Count+" "+strings.TrimSpace(line)))
	}
	return lines
}

// TestFile has the whole file with the counts of all functions in it, and its conditions marked.
func TestFile(t *testing.T) {
	s := New(lex(t), "m")
	v := s.newFileView(s.fileByID["example.com/m/lex/lex.go"])
	if diff := cmp.Diff(lexFile, marked(v.Lines)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := fmt.Sprint(v.Lines[20].Missing); got != "[never true]" {
		t.Errorf("missing on line 21: %s", got)
	}
}

// TestFileMoved has the file as it is now: functions that have moved with their counts, those that have changed without.
func TestFileMoved(t *testing.T) {
	p := lex(t)
	source := strings.Replace(profiletest.LexSource, "// Words", "// More.\n\n// Words", 1)
	source = strings.Replace(source, "func Must", "func Most", 1)
	if err := os.WriteFile(filepath.Join(p.Root, "lex", "lex.go"), []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	s := New(p, "m")
	for name, want := range map[string]string{"Words": `lex.go#L6">lex/lex.go:4<`, "Must": `lex.go">lex/lex.go:20<`} {
		if text := get(t, s, "/f/example.com/m/lex."+name).Body.String(); !strings.Contains(text, want) {
			t.Errorf("no link %s in\n%s", want, text)
		}
	}
	v := s.newFileView(s.fileByID["example.com/m/lex/lex.go"])
	lines := marked(v.Lines)
	if want := "30,000 if [s[i] == ' '] || [s[i] == '\\t'] {"; lines[8] != want || v.Lines[8].At != 7 || v.Lines[8].Number != 9 {
		t.Errorf("line %d, in the run %d, is %q, want %q", v.Lines[8].Number, v.Lines[8].At, lines[8], want)
	}
	if want := "func Most(s string) string {"; lines[21] != want || len(v.Notes) != 1 || !strings.Contains(v.Notes[0], "lex.Must is not on lines") {
		t.Errorf("line 22 is %q, want %q; notes %q", lines[21], want, v.Notes)
	}
}

// TestThrough lists the paths through a line, of which there are none through lines that no block is on.
func TestThrough(t *testing.T) {
	s := New(lex(t), "m")
	f := s.byID["example.com/m/lex.Words"]
	for line, want := range map[int]int{5: 1, 8: 2, 12: 2, 10: 0, 1: 0} {
		v := s.newThroughView(f, line)
		for _, p := range v.Paths {
			if fmt.Sprint(p.Lines) == "" || len(v.Paths) > maxThrough {
				t.Errorf("line %d: %v", line, p.Lines)
			}
		}
		if v.All != want {
			t.Errorf("%d paths through line %d, want %d", v.All, line, want)
		}
	}
}

// TestManyPaths: the page that is asked for the paths through a line has all of them, of however little flow. A report does not,
// and says so.
func TestManyPaths(t *testing.T) {
	const paths = shownPaths + 50
	s := New(samples.Load(t, deep(paths)), "m")
	url := functionURL(s.functions[0])
	for query, want := range map[string]int{"": shownPaths, "?all=1": paths, "?line=1001": paths, "?line=x": shownPaths} {
		text := get(t, s, url+query).Body.String()
		if got := strings.Count(text, "<tr data-path="); got != want || strings.Contains(text, "more. <a") != (want < paths) {
			t.Errorf("%s%s: %d paths, want %d", url, query, got, want)
		}
	}
	var b bytes.Buffer
	if err := s.WriteReport(&b); err != nil {
		t.Fatal(err)
	}
	if want := "120 more, of less flow, which goprofinstr view lists"; !strings.Contains(b.String(), want) {
		t.Errorf("the report does not say %q", want)
	}
}

// deep returns a run that executes so many paths of the function of samples.DeepTable.
func deep(paths int) *profiletest.Run {
	pkg := samples.DeepTable()
	r := profiletest.NewRun(1, 0, nil, pkg)
	f := pkg.Functions[0]
	for i := range paths {
		var walk []int
		for e := 0; e < len(f.Edges)-1; e += 4 { // each branch is of one bit
			side := i >> (e / 4) & 1
			walk = append(walk, e+side, e+side+2)
		}
		r.Call(f.Name, uint64(1+i), append(walk, len(f.Edges)-1)...)
	}
	return r
}

// TestSearchOrder has names that are the query first, then those that begin with it, whatever runs most.
func TestSearchOrder(t *testing.T) {
	for _, test := range []struct {
		words, name, file string
		want              int
	}{
		{"parse", "m/jsonmod.Parse", "parser.go", whole},
		{"jsonmod.parse", "m/jsonmod.Parse", "parser.go", whole},
		{"parse", "m/jsonmod.parseNumber", "parser.go", begins},
		{"number", "m/jsonmod.parseNumber", "parser.go", contains},
		{"parse", "m/jsonmod.skipWS", "parser.go", around},
		{"parser.go skip", "m/jsonmod.skipWS", "parser.go", begins},
		{"parse none", "m/jsonmod.Parse", "parser.go", nowhere},
	} {
		own := test.name[strings.LastIndexByte(test.name, '.')+1:]
		short := strings.TrimPrefix(test.name, "m/")
		if got := rank(strings.Fields(test.words), test.name+" "+test.file, own, short, test.name); got != test.want {
			t.Errorf("%q for %s in %s: %d, want %d", test.words, test.name, test.file, got, test.want)
		}
	}
	s := New(lex(t), "m")
	for query, want := range map[string]string{"lex.go": "lex.go", "must": "lex.Must", "words": "lex.Words"} {
		if got := s.search(query).Results[0].Name(); got != want {
			t.Errorf("%q finds %s first, want %s", query, got, want)
		}
	}
}

// TestSearchGeneric finds generic functions by what they are called, as others.
func TestSearchGeneric(t *testing.T) {
	must := profiletest.Lex().Functions[1]
	hot, generic := must, must
	hot.Name, generic.Name = "example.com/m/p.MapAll", "example.com/m/p.Map[...]"
	r := profiletest.NewRun(1, 0, nil, profiletest.Package("example.com/m/p", hot, generic))
	r.Call(hot.Name, 1000, 1, 3)
	s := New(samples.Load(t, r), "m")
	for query, want := range map[string]int{"map": whole, "p.map": whole, "ma": begins, "ap": contains} {
		found := s.search(query)
		i := slices.IndexFunc(found.Results, func(r result) bool { return r.Function != nil && r.Function.Table.Name == generic.Name })
		if i < 0 || found.Results[i].rank != want || want == whole && i > 0 {
			t.Errorf("%q finds it as number %d of %+v, want rank %d", query, i, found.Results, want)
		}
	}
}

// TestSearchMethods finds methods of generic types by what they are called, and by what the runtime calls them.
func TestSearchMethods(t *testing.T) {
	push := profiletest.Lex().Functions[1]
	push.Name = "example.com/m/p.(*Stack[...]).Push"
	s := New(samples.Load(t, profiletest.NewRun(1, 0, nil, profiletest.Package("example.com/m/p", push))), "m")
	for query, want := range map[string]int{
		"(*Stack).Push": around, "p.(*Stack).Push": whole, "p.(*Stack[...]).Push": whole, push.Name: whole, "push": whole,
		"example.com/m/p.(*Stack).Push": whole,
	} {
		if found := s.search(query).Results; len(found) != 1 || found[0].rank != want {
			t.Errorf("%q finds %+v, want one of rank %d", query, found, want)
		}
	}
}

// TestMarkBetweenBlocks marks the value of a case although no block is on its line.
func TestMarkBetweenBlocks(t *testing.T) {
	p := &painter{marks: map[int][]mark{7: {{start: 6, end: 7, says: "never true (false 3 times)", never: "never true", hole: true}}}}
	a := &artist{lines: make([][]strip, 10)}
	a.lines[9] = []strip{{in: p, line: 7}}
	v := a.line(9, "case x:", nil)
	if got := fmt.Sprint(marked([]lineView{v}), v.Missing); got != "[case [x]!:] [never true]" {
		t.Error(got)
	}
}
