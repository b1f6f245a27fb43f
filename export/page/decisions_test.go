package page

import (
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/internal/samples"
)

// TestDecisions has the vectors of a decision on the page of its function, and what is known of each condition.
func TestDecisions(t *testing.T) {
	p := samples.Sample(t)
	if page := get(t, New(p, "m"), "/f/example.com/m/lex.Words").Body.String(); strings.Contains(page, "MC/DC") {
		t.Error("without a source there are decisions")
	}
	samples.Source(t, p, profiletest.LexSource)
	page := get(t, New(p, "m"), "/f/example.com/m/lex.Words").Body.String()
	_, page, _ = strings.Cut(page, `aria-label="MC/DC"`)
	for _, want := range []string{
		`<code>s[i] == &#39; &#39; || s[i] == &#39;\t&#39;</code></h3>`,
		`<td>false</td><td>false</td><td>false</td>`,
		`<li><code>s[i] == &#39; &#39;</code> shown by unique cause: true·– and false·false</li>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
}
