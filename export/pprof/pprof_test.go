package pprof_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	google "github.com/google/pprof/profile"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/internal/samples"
	"github.com/goprofinstr/goprofinstr/export/pprof"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

var pprofWriters = map[string]func(io.Writer, *profile.Profile) error{
	"paths": pprof.WritePaths,
	"edges": pprof.WriteEdges,
	"calls": pprof.WriteCalls,
}

// parse reads a profile as pprof does.
func parse(t *testing.T, data []byte) *google.Profile {
	t.Helper()
	p, err := google.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckValid(); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPprofGolden pins the layout: samples, frames, lines and labels.
func TestPprofGolden(t *testing.T) {
	p := samples.Sample(t)
	p.Root = "/src/m"
	for name, writer := range pprofWriters {
		samples.Golden(t, "sample."+name+".txt", []byte(parse(t, samples.Write(t, writer, p)).String()))
	}
}

// TestPprofPathSample is what WritePaths promises of path samples, for one of them.
func TestPprofPathSample(t *testing.T) {
	p := parse(t, samples.Write(t, pprof.WritePaths, samples.Sample(t)))
	if p.DefaultSampleType != "flow" {
		t.Errorf("default sample type %q, want flow", p.DefaultSampleType)
	}
	if want := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano(); p.TimeNanos != want {
		t.Errorf("time %d, want that of the first run, %d", p.TimeNanos, want)
	}
	var types []string
	for _, st := range p.SampleType {
		types = append(types, st.Type+"/"+st.Unit)
	}
	if want := []string{"path_execs/count", "flow/count"}; !slices.Equal(types, want) {
		t.Errorf("sample types %v, want %v", types, want)
	}
	const words = "example.com/m/lex.Words"
	for _, s := range p.Sample {
		if s.Location[0].Line[0].Function.Name != words+" {path 8: 6→7→7→11→12→6→6}" {
			continue
		}
		if len(s.Location) != 2 || s.Location[1].Line[0].Function.Name != words {
			t.Errorf("path 8 is not called by %s alone", words)
		}
		if want := []int64{5003, 4 * 5003}; !slices.Equal(s.Value, want) {
			t.Errorf("values %v, want %v", s.Value, want)
		}
		if !s.HasLabel("path", "6→7→7→11→12→6→6") || s.NumLabel["path_id"][0] != 8 || s.NumLabel["branches"][0] != 4 {
			t.Errorf("labels %v, %v", s.Label, s.NumLabel)
		}
		return
	}
	t.Error("no sample of path 8 of Words")
}

// TestPprofZeroLabels has ids and counts of 0, which pprof drops unless they have a unit.
func TestPprofZeroLabels(t *testing.T) {
	for name, keys := range map[string][]string{"paths": {"path_id", "branches"}, "edges": {"edge_id"}} {
		zeros := make(map[string]bool)
		for _, s := range parse(t, samples.Write(t, pprofWriters[name], samples.Sample(t))).Sample {
			for _, key := range keys {
				if len(s.NumLabel[key]) != 1 {
					t.Fatalf("%s: label %s is %v", name, key, s.NumLabel[key])
				}
				zeros[key] = zeros[key] || s.NumLabel[key][0] == 0
			}
		}
		for _, key := range keys {
			if !zeros[key] {
				t.Errorf("%s: no %s of 0", name, key)
			}
		}
	}
}

// TestPprofLongPath has a path that is too long for a frame's name.
func TestPprofLongPath(t *testing.T) {
	p := parse(t, samples.Write(t, pprof.WritePaths, samples.Sample(t)))
	for _, s := range p.Sample {
		label := s.Label["path"][0]
		lines := strings.Split(label, "→")
		if len(lines) <= 12 {
			continue
		}
		if strings.Contains(label, "…") || len(lines) != 1+2*35 {
			t.Errorf("label of %d lines: %s", len(lines), label)
		}
		name := s.Location[0].Line[0].Function.Name
		if want := "{path 11453246122: 1000→1001→1006→1009→1012→1013→1018→1021→…→1204→1205→1290}"; !strings.HasSuffix(name, want) {
			t.Errorf("frame %s, want …%s", name, want)
		}
		return
	}
	t.Error("no long path")
}

// TestPprofSums compares the samples of each profile with the model.
func TestPprofSums(t *testing.T) {
	p := samples.Sample(t)
	want := make(map[string][]int64) // by profile
	for _, f := range p.Functions() {
		for _, path := range f.Paths {
			want["paths"] = addTo(want["paths"], path.Count, path.Flow())
		}
		for _, n := range f.Edges {
			want["edges"] = addTo(want["edges"], n)
		}
		want["calls"] = addTo(want["calls"], f.Entries)
	}
	for name, writer := range pprofWriters {
		var got []int64
		for _, s := range parse(t, samples.Write(t, writer, p)).Sample {
			got = addTo(got, s.Value...)
			if slices.Max(s.Value) == 0 {
				t.Errorf("%s: a sample of nothing", name)
			}
		}
		if !slices.Equal(got, want[name]) {
			t.Errorf("%s: sums %v, want %v", name, got, want[name])
		}
	}
}

func addTo(sum []int64, values ...int64) []int64 {
	if sum == nil {
		sum = make([]int64, len(values))
	}
	for i, v := range values {
		sum[i] += v
	}
	return sum
}

// TestPprofHostile has names that must stay one line and valid UTF-8.
func TestPprofHostile(t *testing.T) {
	for name, writer := range pprofWriters {
		p := parse(t, samples.Write(t, writer, samples.Hostile(t)))
		if len(p.Sample) == 0 {
			t.Errorf("%s: no samples", name)
		}
		for _, f := range p.Function {
			for _, s := range []string{f.Name, f.SystemName, f.Filename} {
				if !utf8.ValidString(s) || strings.ContainsAny(s, "\n\r\x00\x1b\u202e") {
					t.Errorf("%s: %q", name, s)
				}
			}
		}
	}
}

// TestPprofEmpty has no runs and no samples.
func TestPprofEmpty(t *testing.T) {
	for _, writer := range pprofWriters {
		if p := parse(t, samples.Write(t, writer, &profile.Profile{})); len(p.Sample) != 0 || p.TimeNanos != 0 {
			t.Errorf("%v", p)
		}
	}
}

// TestPprofSameNames has two functions of one name, as the init functions of a file may be.
func TestPprofSameNames(t *testing.T) {
	lex := profiletest.Lex()
	version, unused := lex.Functions[2], lex.Functions[3]
	unused.Name = version.Name
	p := profiletest.Package("example.com/m/lex", version, unused)
	r := profiletest.NewRun(1, 0, nil, p)
	r.Data().Packages[0].Counters[0] = 1
	r.Data().Packages[0].Counters[1] = 2
	got := parse(t, samples.Write(t, pprof.WriteCalls, samples.Load(t, r)))
	if len(got.Function) != 2 || got.Function[0].StartLine != 27 || got.Function[1].StartLine != 29 {
		t.Errorf("functions %v, want two", got.Function)
	}
}

func TestPprofFilenames(t *testing.T) {
	root := filepath.FromSlash("/src/m")
	for _, test := range []struct{ root, pkg, file, want string }{
		{root, "example.com/m/lex", "lex/lex.go", filepath.Join(root, "lex", "lex.go")},
		{root, "example.com/m", "main.go", filepath.Join(root, "main.go")},
		{root, "sort", "sort/sort.go", "sort/sort.go"},
		{root, "command-line-arguments", "command-line-arguments/x.go", "command-line-arguments/x.go"},
		{root, "golang.org/x/mod/semver", "golang.org/x/mod/semver/semver.go", "golang.org/x/mod/semver/semver.go"},
		{root, "command-line-arguments", filepath.Join(root, "x.go"), filepath.Join(root, "x.go")},
		{"", "example.com/m/lex", "lex/lex.go", "lex/lex.go"},
	} {
		f := profiletest.Lex().Functions[2]
		f.File = test.file
		r := profiletest.NewRun(1, 0, nil, profiletest.Package(test.pkg, f))
		r.Call(f.Name, 1, 0)
		p := samples.Load(t, r)
		p.Root = test.root
		if got := parse(t, samples.Write(t, pprof.WriteCalls, p)).Function[0].Filename; got != test.want {
			t.Errorf("root %q, package %s: file %s, want %s", test.root, test.pkg, got, test.want)
		}
	}
}

// TestPprofProgram covers the program name in pprof's heading.
func TestPprofProgram(t *testing.T) {
	for _, test := range []struct {
		args [][]string
		want string
	}{
		{[][]string{{"/tmp/1/a.test"}, {"/tmp/2/a.test", "-v"}}, "a.test"},
		{[][]string{{"a.test"}, {"b.test"}}, ""},
		{[][]string{{"a.test"}, nil}, ""},
		{nil, ""},
	} {
		p := new(profile.Profile)
		for _, args := range test.args {
			p.Runs = append(p.Runs, profile.Run{Args: args})
		}
		var b bytes.Buffer
		if err := pprof.WriteCalls(&b, p); err != nil {
			t.Fatal(err)
		}
		if got := parse(t, b.Bytes()).Mapping; len(got) != 1 || got[0].File != test.want {
			t.Errorf("%v: mappings %v, want one of %q", test.args, got, test.want)
		}
	}
}

// sampleDir returns a directory with the pprof files of the sample profile,
// and source of package lex in its module root, if it is given.
func sampleDir(t *testing.T, root string) string {
	t.Helper()
	p := samples.Sample(t)
	p.Root = root
	dir := t.TempDir()
	for name, writer := range pprofWriters {
		if err := os.WriteFile(filepath.Join(dir, name+".pb.gz"), samples.Write(t, writer, p), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// sourceRoot returns a module root with the source of package lex.
func sourceRoot(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "lex"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "lex", "lex.go"), []byte(profiletest.LexSource), 0o666); err != nil {
		t.Fatal(err)
	}
	return root
}

// toolPprof runs go tool pprof and returns its output, with blanks squeezed.
func toolPprof(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"tool", "pprof"}, args...)...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, &stderr)
	}
	// Trouble with symbols or files is only a line on stderr.
	if s := stderr.String(); s != "" {
		t.Errorf("%v says:\n%s", cmd, s)
	}
	return regexp.MustCompile(`[ \t]+`).ReplaceAllString(string(out), " ")
}

// TestToolPprof runs the real program on what was written.
func TestToolPprof(t *testing.T) {
	root := sourceRoot(t)
	dir := sampleDir(t, root)
	paths, edges, calls := filepath.Join(dir, "paths.pb.gz"), filepath.Join(dir, "edges.pb.gz"), filepath.Join(dir, "calls.pb.gz")
	list := `-list=lex\.Words$`
	for _, test := range []struct {
		name string
		args []string
		want []string
	}{
		{"top", []string{"-top", paths}, []string{
			"File: lex.test\n", "goprofinstr: exact counts of 2 runs\n", "Type: flow\n", "of 120881 total",
			"\n 76072 62.93% 62.93% 76072 62.93% example.com/m/lex.Words {path 9: in the loop on line 6 → for i < len → s[i] == ' ' false → s[i] == ",
		}},
		{"top of executions", []string{"-top", "-sample_index=path_execs", paths}, []string{
			"Type: path_execs\n", " 19018 ",
		}},
		{"list of paths", []string{list, paths}, []string{
			"ROUTINE ======================== example.com/m/lex.Words in " + filepath.Join(root, "lex", "lex.go") + "\n",
			// 6→16, and the three paths around the loop.
			"\n . 108090 6: for i := 0; i < len(s); i++ {\n",
			"\n . 4013 4:func Words(s string) (n int) {\n",
		}},
		{"list of edges", []string{list, edges}, []string{
			"\n 6006 6006 12: n++\n", "\n 5003 5003 8: in = false\n", "\n 25024 25024 11: if !in {\n",
			"\n 1001 1001 16: return n\n", "\n 1001 1001 17:}\n",
		}},
		{"list of calls", []string{list, calls}, []string{
			"\n 1004 1004 4:func Words(s string) (n int) {\n",
		}},
		{"tree", []string{"-tree", paths}, []string{
			"| example.com/m/lex.Words\n 76072 62.93% 62.93% 76072 62.93% | example.com/m/lex.Words {path 9: in the loop on line 6 → for i < len → ",
		}},
		{"top of edges", []string{"-top", "-tagleaf=edge", edges}, []string{
			"Type: edge_execs\n", " 6→7 for i < len(s)\n", " 6→6 loop.back\n",
		}},
		{"raw", []string{"-raw", calls}, []string{
			"\ncall_execs/count\n", "\n 1004: 1 \n", "\n 1: 0x0 M=1 example.com/m/lex.Words ",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			out := toolPprof(t, test.args...)
			for _, want := range test.want {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
		})
	}
}

// TestToolPprofSourcePath has pprof find the source without a module root in the profile.
func TestToolPprofSourcePath(t *testing.T) {
	dir := sampleDir(t, "")
	out := toolPprof(t, `-list=lex\.Words$`, "-source_path="+sourceRoot(t), filepath.Join(dir, "edges.pb.gz"))
	if want := "\n 6006 6006 12: n++\n"; !strings.Contains(out, want) {
		t.Errorf("no %q in\n%s", want, out)
	}
}

// TestSections: pprof's view of the source has one section for a function, not one for each of its edges.
func TestSections(t *testing.T) {
	dir := sampleDir(t, sourceRoot(t))
	out := toolPprof(t, `-list=.`, filepath.Join(dir, "edges.pb.gz"))
	if n := strings.Count(out, "= example.com/m/lex.Words"); n != 1 {
		t.Errorf("%d sections of Words in\n%s", n, out)
	}
}

// TestSymbolNames: the last element of an import path has no dots in symbols. Of several packages main each has its import path.
func TestSymbolNames(t *testing.T) {
	for _, test := range []struct {
		paths []string
		main  bool
		want  []string
	}{
		{[]string{"gopkg.in/yaml.v3"}, false, []string{"gopkg.in/yaml%2ev3.Must"}},
		{[]string{"example.com/a.v1/b"}, false, []string{"example.com/a.v1/b.Must"}},
		{[]string{"example.com/a", "example.com/b"}, true, []string{"example.com/a.Must", "example.com/b.Must"}},
		{[]string{"example.com/a"}, true, []string{"main.Must"}},
	} {
		var tables []*table.Package
		for _, path := range test.paths {
			must := profiletest.Lex().Functions[1]
			must.Name = path + ".Must"
			tab := profiletest.Package(path, must)
			tab.Main = test.main
			tables = append(tables, tab)
		}
		r := profiletest.NewRun(1, 0, nil, tables...)
		for _, path := range test.paths {
			r.Call(path+".Must", 1, 1, 3)
		}
		var got []string
		for _, f := range parse(t, samples.Write(t, pprof.WriteCalls, samples.Load(t, r))).Function {
			got = append(got, f.Name)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("functions of %v, main %t: %v, want %v", test.paths, test.main, got, test.want)
		}
	}
}

// TestMainNames: functions of the main package are called as the runtime calls them, but for those of tests of it.
func TestMainNames(t *testing.T) {
	for program, want := range map[string]string{"/tmp/lex": "main.Words", "/tmp/lex.test": "example.com/m/lex.Words"} {
		tab := profiletest.Lex()
		tab.Main = true
		r := profiletest.NewRun(1, 0, []string{program}, tab)
		profiletest.CallWords(r, 1, "a b")
		p := samples.Load(t, r)
		for name, write := range pprofWriters {
			prof := parse(t, samples.Write(t, write, p))
			for _, f := range prof.Function {
				if f.Name != want && !strings.HasPrefix(f.Name, want+" {") {
					t.Errorf("%s of %s: %s, want %s", name, program, f.Name, want)
				}
			}
		}
	}
}
