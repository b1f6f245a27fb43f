package page

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/internal/samples"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// large is a profile of 5,000 functions in 100 packages, with their sources: as many as a service of some size has. Each
// executes two paths.
func large(t testing.TB) *profile.Profile {
	t.Helper()
	var tables []*table.Package
	for p := range 100 {
		var functions []table.Function
		path := fmt.Sprintf("example.com/service/internal/component%02d", p)
		for range 50 {
			f := profiletest.Lex().Functions[0]
			f.Name = fmt.Sprintf("%s.(*handler).process%04d", path, len(functions))
			functions = append(functions, f)
		}
		tables = append(tables, profiletest.Package(path, functions...))
	}
	r := profiletest.NewRun(1, 0, nil, tables...)
	for i, pkg := range tables {
		for j, f := range pkg.Functions {
			times := uint64(1 + (i*7919+j*104729)%10007)
			r.Call(f.Name, times, 0, 1, 4, 6, 8, 10, 11, 1, 4, 6, 9, 11, 2, 12)
		}
	}
	return load(t, r, "lex/lex.go", profiletest.LexSource)
}

// maxReportFile is how large the report of 5,000 functions may be.
const maxReportFile = 5 << 20

// TestReportSize: the report of a large profile is no larger than a file that people attach, has all its functions and the
// hottest in detail.
func TestReportSize(t *testing.T) {
	p := large(t)
	var b bytes.Buffer
	if err := New(p, "large").WriteReport(&b); err != nil {
		t.Fatal(err)
	}
	functions := strings.Count(b.String(), "process0049")
	t.Logf("%d bytes, %d functions in detail", b.Len(), strings.Count(b.String(), `class="data"`))
	files := strings.Count(b.String(), `class="source file"`)
	if b.Len() > maxReportFile || functions < 100 || files == 0 || !strings.Contains(b.String(), "i &lt; len(s)") {
		t.Errorf("%d bytes, %d of 100 last functions, %d files", b.Len(), functions, files)
	}
}

// TestReportLarge: a function or a file that is too large for the report leaves room for those of less flow.
func TestReportLarge(t *testing.T) {
	const other = "example.com/m/p"
	must := profiletest.Lex().Functions[1]
	must.Name, must.File = other+".Must", "p/p.go"
	r := profiletest.NewRun(1, 0, nil, profiletest.Lex(), profiletest.Package(other, must))
	profiletest.CallWords(r, 1000, "the quick brown fox")
	r.Call("example.com/m/lex.Must", 12, 1, 3)
	r.Call(must.Name, 5, 1, 3)
	long := "in = false // " + strings.Repeat("x", maxReport)
	p := load(t, r, "lex/lex.go", strings.Replace(profiletest.LexSource, "in = false", long, 1))
	if err := os.Mkdir(filepath.Join(p.Root, "p"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.Root, "p", "p.go"), []byte(profiletest.LexSource), 0o666); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := New(p, "m").WriteReport(&b); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]bool{
		"f-example.com/m/lex.Words": false, "f-example.com/m/lex.Must": true, "f-" + must.Name: true,
		"s-example.com/m/lex/lex.go": false, "s-" + other + "/p.go": true,
	} {
		if got := strings.Contains(b.String(), `id="`+id+`"`); got != want {
			t.Errorf("%s is there: %v, want %v", id, got, want)
		}
	}
	if b.Len() > maxReportFile {
		t.Errorf("%d bytes", b.Len())
	}
}

// TestReportFull: where there is no more room, few functions are painted in vain.
func TestReportFull(t *testing.T) {
	s, included, painted := New(large(t), "large"), make(map[*function]bool), make(map[*function]bool)
	to := reportLinks(included)
	path := to.path
	to.path = func(f *function, id uint64) string {
		painted[f] = true
		return path(f, id)
	}
	v := new(reportView)
	size, err := s.addDetails(v, newTemplates(to), included, maxReport)
	if err != nil || size != maxReport || len(v.Detailed) > 0 || len(painted) != maxLarge {
		t.Errorf("%d bytes, %d functions, and %d painted, want %d; %v", size, len(v.Detailed), len(painted), maxLarge, err)
	}
}

// TestLinear: the page of a function that is twice as large takes twice as much, also where counts are estimates and what is
// known of one path follows from all. What is counted is allocations.
func TestLinear(t *testing.T) {
	allocs := func(n int) float64 {
		s := New(samples.Load(t, star(n)), "m")
		f := s.functions[0]
		if f.Missed == nil || len(f.Paths) != n {
			t.Fatalf("%d paths, of which none can be missed", len(f.Paths))
		}
		return testing.AllocsPerRun(1, func() { s.newFunctionView(f, nil, 10) })
	}
	if one, two := allocs(200), allocs(400); two > 2.5*one {
		t.Errorf("%.0f allocations, and %.0f for twice as many paths", one, two)
	}
}

// star returns a sampled run of a function that is a switch with n cases, of which windows have seen half.
func star(n int) *profiletest.Run {
	f := table.Function{Name: "example.com/m.F", File: "m.go", Line: 1, EndLine: n + 2, Exit: n + 1, Entries: -1}
	f.Blocks = append(f.Blocks, table.Block{Line: 1})
	for i := range n {
		f.Blocks = append(f.Blocks, table.Block{Line: i + 2})
		f.Edges = append(f.Edges, table.Edge{From: 0, To: i + 1, Kind: table.SwitchCase, Line: i + 2},
			table.Edge{From: i + 1, To: n + 1, Kind: table.Return, Line: i + 2})
	}
	f.Blocks = append(f.Blocks, table.Block{})
	r := profiletest.NewRun(1, 0, nil, profiletest.Sampled(profiletest.Package("example.com/m", f)))
	for i := range n {
		path := []int{2 * i, 2*i + 1}
		r.Count(f.Name, 100, path...)
		if i%2 == 0 {
			r.Seen(f.Name, 2, 2, i, 10, 100, path...)
		}
		r.Site(profiletest.Site{Address: 0x401000 + 16*uint64(i), Function: f.Name, Path: path})
		r.Data().Sites[i].Sampled = true
	}
	return r
}

// BenchmarkPages is what a user waits for when a profile has been read: what is computed once, and then each kind of page.
func BenchmarkPages(b *testing.B) {
	p := large(b)
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			New(p, "large")
		}
	})
	s := New(p, "large")
	for _, page := range []struct{ name, url string }{
		{"overview", "/"}, {"package", "/p/" + p.Packages[0].Path}, {"function", "/f/" + p.Packages[0].Functions[0].Table.Name}, {"search", "/search?q=process0049"},
	} {
		b.Run(page.name, func(b *testing.B) {
			for b.Loop() {
				if w := get(b, s, page.url); w.Code != http.StatusOK {
					b.Fatal(w.Code)
				}
			}
		})
	}
}
