package pprof_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	google "github.com/google/pprof/profile"

	"github.com/goprofinstr/goprofinstr/export/internal/known"
	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/internal/samples"
	"github.com/goprofinstr/goprofinstr/export/pprof"
)

// TestEstimatesGolden has the profiles of a run of which some is counted, and some estimated with intervals.
func TestEstimatesGolden(t *testing.T) {
	p := samples.Counted(t)
	writers := maps.Clone(pprofWriters)
	writers["cpu"] = pprof.WriteCPU
	for name, writer := range writers {
		samples.Golden(t, "counted."+name+".txt", []byte(parse(t, samples.Write(t, writer, p)).String()))
	}
}

// TestEstimatesAgree holds comments against the digits and intervals of reports.
func TestEstimatesAgree(t *testing.T) {
	p := samples.Counted(t)
	comments := parse(t, samples.Write(t, pprof.WritePaths, p)).Comments
	estimates := 0
	for _, f := range p.Functions() {
		for i := range f.Paths {
			path := &f.Paths[i]
			interval := known.Interval(f, path)
			want := fmt.Sprintf("# %s {path %d}: %s", f.Table.Name, path.ID, known.Count(f, path))
			k := slices.IndexFunc(comments, func(c string) bool { return strings.HasPrefix(c, want) && strings.Contains(c, interval) })
			if k < 0 {
				t.Errorf("no comment %q with %q in\n%s", want, interval, strings.Join(comments, "\n"))
			}
			if interval != "" {
				estimates++
			}
		}
	}
	if estimates == 0 {
		t.Error("no estimates")
	}
}

// TestExactHasNoEstimates: nothing is said of intervals where all is counted.
func TestExactHasNoEstimates(t *testing.T) {
	for name, writer := range pprofWriters {
		for _, c := range parse(t, samples.Write(t, writer, samples.Sample(t))).Comments {
			if strings.HasPrefix(c, "#") || strings.Contains(c, "interval") {
				t.Errorf("%s: %s", name, c)
			}
		}
	}
}

// TestMostEstimates: of a large profile the largest numbers have comments.
func TestMostEstimates(t *testing.T) {
	list := slices.Repeat(profiletest.Lex().Functions[:1], 150)
	for i := range list {
		list[i].Name = fmt.Sprintf("example.com/m/lex.f%d", i)
	}
	r := profiletest.NewRun(1, 0, nil, profiletest.Sampled(profiletest.Package("example.com/m/lex", list...)))
	for i, f := range list {
		r.Sample(f.Name, uint64(100+i), 50, nil, 0, 2, 12)
	}
	prof := parse(t, samples.Write(t, pprof.WriteCalls, samples.Load(t, r)))
	var got []string
	for _, c := range prof.Comments {
		if strings.HasPrefix(c, "#") {
			got = append(got, c)
		}
	}
	if want := "# calls of functions, the first 100 of 150; goprofinstr export -format json has all"; len(got) != 101 || got[0] != want {
		t.Fatalf("%d comments, %q", len(got), got[:min(1, len(got))])
	}
	if !strings.HasPrefix(got[1], "# example.com/m/lex.f149: ~") {
		t.Error(got[1])
	}
}

// TestToolEstimates: pprof shows intervals when it is asked for comments; its tables and listings are those of profiles
// without them, differences of profiles as well.
func TestToolEstimates(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go tool pprof")
	}
	p := samples.Counted(t)
	dir := t.TempDir()
	write := func(name string, prof *google.Profile) string {
		file := filepath.Join(dir, name)
		out, err := os.Create(file)
		if err == nil {
			err = prof.Write(out)
		}
		if err == nil {
			err = out.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	for name, writer := range map[string]string{"paths": "path_execs", "edges": "edge_execs", "calls": "call_execs"} {
		prof := parse(t, samples.Write(t, pprofWriters[name], p))
		with := write(name, prof)
		prof.Comments = prof.Comments[:2]
		without := write(name+"-plain", prof)
		index := "-sample_index=" + writer
		for _, args := range [][]string{{"-top", index}, {"-tags", index}, {"-traces", index}} {
			got := toolPprof(t, append(args, with)...)
			_, rows, _ := strings.Cut(toolPprof(t, append(args, without)...), "Type: ")
			if !strings.HasSuffix(got, rows) || strings.Contains(got, "#") || !strings.Contains(got, "counted exactly") && args[0] == "-top" {
				t.Errorf("%s %v: \n%s\nwant\n%s", name, args, got, rows)
			}
		}
		if got := toolPprof(t, "-top", index, "-diff_base="+without, with); !strings.Contains(got, "accounting for 0, 0% of") {
			t.Errorf("%s: the difference of the same counts is\n%s", name, got)
		}
		if got := toolPprof(t, "-comments", with); !strings.Contains(got, "\n# example.com/m.F") || !strings.Contains(got, "95% sure: ") {
			t.Errorf("%s: no intervals in\n%s", name, got)
		}
	}
}
