package page

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// attack is what names hold that should be text: no Go name can, but run data can be anybody's.
const attack = `"'><script>hacked=1</script><img src=x onerror=hacked=1>{{.}}` + "\x00\u202e`"

// hostile is a sampled profile with attacks wherever there is a name.
func hostile(t testing.TB) *profile.Profile {
	pkg := "example.com/" + attack
	f := profiletest.Lex().Functions[1]
	f.Name, f.File = pkg+".F"+attack, "lex/"+attack+".go"
	declined := table.Function{Name: pkg + ".D" + attack, File: attack, Declined: attack}
	r := profiletest.NewRun(1, 0, []string{attack}, profiletest.Sampled(profiletest.Package(pkg, f, declined)))
	caller := pcct.Frame{Name: attack, File: attack, Line: 3, StartLine: 1}
	outer := r.Context(pcct.Node{Parent: -1, Frames: []pcct.Frame{caller}, Time: 10, Samples: 1})
	inner := r.Context(pcct.Node{Parent: outer, Frames: []pcct.Frame{{Name: f.Name, StartLine: 20}}, Labels: []pcct.Label{{Key: attack, Value: attack}}})
	r.Sample(f.Name, 12, 6, []rundata.ContextPath{{Node: inner, Estimate: 12 * rt.SampleUnit, Samples: 6, Time: 30 * time.Millisecond}}, 1, 3)
	return load(t, r, "lex/lex.go", profiletest.LexSource)
}

// markup is what attack would be as a part of a page.
var markup = regexp.MustCompile(`(?i)<img|<script>hacked|\x00|\x{202e}`)

// anchors are the ids of elements in the report, which nobody sees.
var anchors = regexp.MustCompile(` id="[fp]-[^"]*"`)

// TestHostileNames has the names of the profile as text on all pages and in the report.
func TestHostileNames(t *testing.T) {
	p := hostile(t)
	s := New(p, attack)
	pages := make(map[string]string)
	for _, url := range []string{"/", packageURL(s.packages[0]), functionURL(s.packages[0].Functions[0]), functionURL(s.packages[0].Functions[1]), "/search?q=f", "/search?q=%22%3E%3Cimg+src%3Dx%3E"} {
		w := get(t, s, url)
		if w.Code != 200 {
			t.Errorf("%s: status %d", url, w.Code)
		}
		pages[url] = w.Body.String()
	}
	var report bytes.Buffer
	if err := s.WriteReport(&report); err != nil {
		t.Fatal(err)
	}
	pages["report"] = anchors.ReplaceAllString(report.String(), "")
	for name, text := range pages {
		if found := markup.FindStringIndex(text); found != nil {
			t.Errorf("%s: …%q", name, text[max(0, found[0]-80):min(len(text), found[1]+40)])
		}
		if !strings.Contains(text, "&lt;img") {
			t.Errorf("%s: does not have the name as text", name)
		}
	}
}

// TestCallers merges the contexts of a path into a tree of callers, for the path and for all paths.
func TestCallers(t *testing.T) {
	r := profiletest.NewRun(1, 0, nil, profiletest.Sampled(profiletest.Lex()))
	frame := func(name string, line int32) pcct.Frame { return pcct.Frame{Name: name, File: "/m/main.go", Line: line, StartLine: 1} }
	main := r.Context(pcct.Node{Parent: -1, Frames: []pcct.Frame{frame("main.main", 9)}})
	other := r.Context(pcct.Node{Parent: main, Frames: []pcct.Frame{frame("main.other", 20)}})
	must := pcct.Frame{Name: "example.com/m/lex.Must", File: "/m/lex/lex.go", StartLine: 20}
	direct := r.Context(pcct.Node{Parent: main, Frames: []pcct.Frame{must}})
	indirect := r.Context(pcct.Node{Parent: other, Frames: []pcct.Frame{must}})
	seen := func(node int, n uint64) rundata.ContextPath {
		return rundata.ContextPath{Node: node, Estimate: n * rt.SampleUnit, Samples: n}
	}
	r.Sample("example.com/m/lex.Must", 40, 40, []rundata.ContextPath{seen(direct, 10), seen(indirect, 30)}, 1, 3)
	r.Sample("example.com/m/lex.Must", 10, 10, nil, 0, 2)
	s := New(load(t, r, "lex/lex.go", profiletest.LexSource), "m")
	f := s.byID["example.com/m/lex.Must"]
	trees := s.newFunctionView(f, nil, shownPaths).Trees
	if len(trees) != 3 || trees[0].Path != "" || !trees[0].Selected || trees[0].Known != "80.0%" || trees[1].Known != "100%" || len(trees[2].Callers) != 0 {
		t.Fatalf("trees %+v", trees)
	}
	for _, tree := range trees[:2] {
		if len(tree.Callers) != 2 {
			t.Fatalf("%d callers, want 2", len(tree.Callers))
		}
		first, second := tree.Callers[0], tree.Callers[1]
		if first.Caller.Name != "main.other" || first.Count != 30 || first.Percent != "75.0%" || len(first.Callers) != 1 || first.Callers[0].Caller.Name != "main.main" {
			t.Errorf("first caller %+v", first)
		}
		if second.Caller.Name != "main.main" || second.Caller.Line != 9 || second.Count != 10 || len(second.Callers) != 0 {
			t.Errorf("second caller %+v", second)
		}
	}
}
