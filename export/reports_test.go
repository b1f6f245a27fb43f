package export_test

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

func reportJSON(w io.Writer, p *profile.Profile) error { return export.WriteReportJSON(w, p, 20) }
func markdown(w io.Writer, p *profile.Profile) error   { return export.WriteMarkdown(w, p, 20) }

func TestReportsGolden(t *testing.T) {
	p := sample(t)
	golden(t, "sample.report.json", write(t, reportJSON, p))
	golden(t, "sample.report.md", write(t, markdown, p))
}

// TestReportsHostile: whatever names are, JSON can be read, and Markdown has no tag of theirs, no line and no cell too many.
func TestReportsHostile(t *testing.T) {
	for name, p := range map[string]*profile.Profile{"empty": {}, "hostile": hostile(t), "huge": huge(), "broken": broken(t)} {
		if data := write(t, reportJSON, p); !json.Valid(data) {
			t.Errorf("%s: not JSON:\n%s", name, data)
		}
		columns := 0
		for line := range strings.Lines(string(write(t, markdown, p))) {
			for _, tag := range []string{"<script", "\r", "\x1b", "\u202e"} {
				if strings.Contains(line, tag) {
					t.Errorf("%s: %q in %q", name, tag, line)
				}
			}
			if !strings.HasPrefix(line, "|") {
				columns = 0
				continue
			}
			if n := strings.Count(line, "|"); columns > 0 && n != columns {
				t.Errorf("%s: %d cells, want %d: %s", name, n-1, columns-1, line)
			} else {
				columns = n
			}
		}
	}
}

// TestExcerpt has the source of hot paths in reports, as long as it is what ran.
func TestExcerpt(t *testing.T) {
	p := sample(t)
	p.Root = t.TempDir()
	file := filepath.Join(p.Root, "lex", "lex.go")
	if err := os.Mkdir(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	const loop = "\n             6  for i := 0; i < len(s); i++ {\n             7    if s[i] == ' ' || s[i] == '\\t' {\n            11    if !in {\n"
	for _, test := range []struct {
		source string
		want   bool
	}{{profiletest.LexSource, true}, {"package lex\n", false}} {
		if err := os.WriteFile(file, []byte(test.source), 0o666); err != nil {
			t.Fatal(err)
		}
		if text := string(write(t, report, p)); strings.Contains(text, loop) != test.want {
			t.Errorf("with %.20q…: want the source: %v\n%s", test.source, test.want, text)
		}
		if text := string(write(t, markdown, p)); strings.Contains(text, "```go\n     6  for i") != test.want {
			t.Errorf("with %.20q…: want the source: %v\n%s", test.source, test.want, text)
		}
	}
}
