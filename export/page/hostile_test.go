package page

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
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
	r.Sample(f.Name, 12, 6, []rundata.ContextPath{{Node: inner, Estimate: 12 * runfile.SampleUnit, Samples: 6, Time: 30 * time.Millisecond}}, 1, 3)
	return load(t, r, "lex/lex.go", profiletest.LexSource)
}

// markup is what attack would be as a part of a page.
var markup = regexp.MustCompile(`(?i)<img|<script>hacked|\x00|\x{202e}`)

// anchors are the ids of elements in the report, which nobody sees.
var anchors = regexp.MustCompile(` id="[fps]-[^"]*"`)

// TestHostileNames has the names of the profile as text on all pages and in the report.
func TestHostileNames(t *testing.T) {
	p := hostile(t)
	s := New(p, attack)
	pages := make(map[string]string)
	for _, url := range []string{"/", packageURL(s.packages[0]), functionURL(s.packages[0].Functions[0]), functionURL(s.packages[0].Functions[1]), fileURL(s.files[0]), fileURL(s.files[1]), "/search?q=f", "/search?q=%22%3E%3Cimg+src%3Dx%3E"} {
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
