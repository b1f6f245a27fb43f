package export_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/internal/samples"
	"github.com/goprofinstr/goprofinstr/export/pprof"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/report"
)

// schema is version 1 of the JSON export, written down a second time. So the writer cannot change it by accident.
type schema struct {
	Version   int              `json:"version"`
	Mode      string           `json:"mode"`
	Functions []schemaFunction `json:"functions"`
}

type schemaFunction struct {
	Name      string `json:"name"`
	Package   string `json:"package"`
	File      string `json:"file"`
	Line      int    `json:"line"`
	Status    string `json:"status"`
	Reason    string `json:"reason"`
	NumPaths  string `json:"num_paths"`
	Abandoned int    `json:"abandoned"`
	Blocks    []struct {
		ID      int `json:"id"`
		Line    int `json:"line"`
		Col     int `json:"col"`
		EndLine int `json:"end_line"`
		EndCol  int `json:"end_col"`
		Count   int `json:"count"`
	} `json:"blocks"`
	Edges []struct {
		ID    int    `json:"id"`
		From  int    `json:"from"`
		To    int    `json:"to"`
		Kind  string `json:"kind"`
		Line  int    `json:"line"`
		Col   int    `json:"col"`
		Count int    `json:"count"`
		Back  bool   `json:"back"`
	} `json:"edges"`
	Paths []struct {
		ID       string `json:"id"`
		Count    int    `json:"count"`
		Branches int    `json:"branches"`
		Edges    []int  `json:"edges"`
		Start    string `json:"start"`
		End      string `json:"end"`
	} `json:"paths"`
}

func parseJSON(t *testing.T, data []byte) schema {
	t.Helper()
	var s schema
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestJSONRoundTrip reads the export with the schema and writes it again: no
// field is missing, unknown or of another type.
func TestJSONRoundTrip(t *testing.T) {
	for name, p := range map[string]*profile.Profile{"sample": samples.Sample(t), "hostile": samples.Hostile(t), "empty": {}, "huge": samples.Huge()} {
		data := samples.Write(t, export.WriteJSON, p)
		s := parseJSON(t, data)
		if s.Version != 1 || s.Mode != "exact" || s.Functions == nil {
			t.Errorf("%s: version %d, mode %q, functions %v", name, s.Version, s.Mode, s.Functions)
		}
		var again, compact bytes.Buffer
		enc := json.NewEncoder(&again)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(s); err != nil {
			t.Fatal(err)
		}
		if err := json.Compact(&compact, data); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.TrimSpace(again.String()), strings.TrimSpace(compact.String())); diff != "" {
			t.Errorf("%s (-schema +written):\n%s", name, diff)
		}
	}
}

// TestJSONMeaning recomputes from the JSON alone what it says twice: counts of edges,
// branches, starts and ends.
func TestJSONMeaning(t *testing.T) {
	declined := 0
	for _, f := range parseJSON(t, samples.Write(t, export.WriteJSON, samples.Sample(t))).Functions {
		if f.Status == "declined" {
			declined++
			if f.Reason == "" || f.NumPaths != "0" || len(f.Blocks)+len(f.Edges)+len(f.Paths) > 0 {
				t.Errorf("%s: %+v", f.Name, f)
			}
			continue
		}
		if f.Status != "instrumented" || f.Reason != "" {
			t.Errorf("%s: status %q, reason %q", f.Name, f.Status, f.Reason)
		}
		out := make(map[int]int)
		for id, e := range f.Edges {
			out[e.From]++
			if e.ID != id {
				t.Errorf("%s: edge %d has id %d", f.Name, id, e.ID)
			}
		}
		counts := make([]int, len(f.Edges))
		for _, p := range f.Paths {
			branches := 0
			for _, id := range p.Edges {
				counts[id] += p.Count
				if out[f.Edges[id].From] > 1 {
					branches++
				}
			}
			first, last := f.Edges[p.Edges[0]], f.Edges[p.Edges[len(p.Edges)-1]]
			if branches != p.Branches || (p.Start == "entry") != (first.From == 0) || (p.End == "loop") != last.Back {
				t.Errorf("%s: path %+v, want %d branches", f.Name, p, branches)
			}
		}
		for id, e := range f.Edges {
			if e.Count != counts[id] {
				t.Errorf("%s: edge %d: count %d, its paths %d", f.Name, id, e.Count, counts[id])
			}
		}
	}
	if declined != 5 {
		t.Errorf("%d declined functions, want 5", declined)
	}
}

// TestFoldedLines splits the lines as flame graph tools do, names of all kinds included.
func TestFoldedLines(t *testing.T) {
	stack := regexp.MustCompile(`^([^;]+);(\{path (\d+): [\d→…]+\}) (\d+)$`)
	for _, p := range []*profile.Profile{samples.Sample(t), samples.Hostile(t)} {
		want := 0
		for _, f := range p.Functions() {
			want += len(f.Paths)
		}
		lines := strings.Split(strings.TrimSuffix(string(samples.Write(t, export.WriteFolded, p)), "\n"), "\n")
		if len(lines) != want {
			t.Errorf("%d lines, want %d", len(lines), want)
		}
		for _, l := range lines {
			m := stack.FindStringSubmatch(l)
			if m == nil {
				t.Errorf("line %q", l)
				continue
			}
			if n, err := strconv.Atoi(m[4]); err != nil || n == 0 {
				t.Errorf("count of %q: %d, %v", l, n, err)
			}
		}
	}
	if got := samples.Write(t, export.WriteFolded, &profile.Profile{}); len(got) != 0 {
		t.Errorf("no runs give %q", got)
	}
}

// TestHostileText has no name break a line of the text formats.
func TestHostileText(t *testing.T) {
	for _, writer := range []func(io.Writer, *profile.Profile) error{export.WriteFolded, text, report.WriteSummary} {
		out := string(samples.Write(t, writer, samples.Hostile(t)))
		if !utf8.ValidString(out) || strings.ContainsAny(out, "\x00\x1b\r\u202e") {
			t.Errorf("%q", out)
		}
		for line := range strings.Lines(out) {
			if strings.HasPrefix(line, "fake.go") || strings.HasPrefix(line, "one") || strings.HasPrefix(line, "y\"") {
				t.Errorf("a name breaks the line in\n%s", out)
			}
		}
	}
}

// TestWriteErrors has every writer text that its file is full.
func TestWriteErrors(t *testing.T) {
	p := samples.Sample(t)
	for i, writer := range []func(io.Writer, *profile.Profile) error{
		export.WriteJSON, export.WriteFolded, text, report.WriteSummary, report.WriteConditions,
		pprof.WritePaths, pprof.WriteEdges, pprof.WriteCalls,
	} {
		if err := writer(full{}, p); !errors.Is(err, errFull) {
			t.Errorf("writer %d: %v", i, err)
		}
	}
}

type full struct{}

var errFull = errors.New("no space left on device")

func (full) Write([]byte) (int, error) { return 0, errFull }

// BenchmarkManyFunctions writes 5,000 functions of 10 executed paths each.
func BenchmarkManyFunctions(b *testing.B) {
	big := samples.Sample(b)
	tokenizer := big.Packages[1].Functions[0]
	for len(tokenizer.Paths) < 10 {
		path := tokenizer.Paths[0]
		path.ID += uint64(len(tokenizer.Paths))
		tokenizer.Paths = append(tokenizer.Paths, path)
	}
	p := &profile.Profile{Runs: big.Runs}
	for i := range 50 {
		pkg := &profile.Package{Path: fmt.Sprintf("p%d", i)}
		for range 100 {
			pkg.Functions = append(pkg.Functions, tokenizer)
		}
		p.Packages = append(p.Packages, pkg)
	}
	for name, writer := range map[string]func(io.Writer, *profile.Profile) error{
		"json": export.WriteJSON, "folded": export.WriteFolded, "report": text, "paths": pprof.WritePaths,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := writer(io.Discard, p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
