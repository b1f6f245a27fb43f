package inline

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/internal/pgofile"
)

const output = `# example.com/m/p
p/p.go:3:6: can inline small
p/p.go:9:14: inlining call to small
p/p.go:20:3: inlining call to q.Gen[go.shape.struct { example.com/m/q.A int }]
p/p.go:11:7: x escapes to heap
foo.y:20: inlining call to (*T).m
# example.com/m/p_test [example.com/m/p.test]
p/p_test.go:5:1: can inline F with cost 7 as: func() { }
# example.com/m/p.test
link version go1.26
`

func TestParse(t *testing.T) {
	want := map[string]*Compilation{
		"example.com/m/p": {
			Inlinable: []string{"small"},
			Calls: []Call{
				{"p/p.go", 9, 14, "small"},
				{"p/p.go", 20, 3, "q.Gen[go.shape.struct { example.com/m/q.A int }]"},
				{"foo.y", 20, 0, "(*T).m"},
			},
		},
		"example.com/m/p_test [example.com/m/p.test]": {Inlinable: []string{"F"}},
		"example.com/m/p.test":                        {},
	}
	if diff := cmp.Diff(want, Parse([]byte(output))); diff != "" {
		t.Error(diff)
	}
}

func TestTested(t *testing.T) {
	for id, want := range map[string]string{
		"m/p":                    "m/p",
		"m/p [m/p.test]":         "m/p",
		"m/p [m/q.test]":         "m/p",
		"m/p_test [m/p.test]":    "m/p",
		"m/p_test [m/q.test]":    "m/p_test",
		"command-line-arguments": "command-line-arguments",
	} {
		if got := Tested(id); got != want {
			t.Errorf("Tested(%q) = %q, want %q", id, got, want)
		}
	}
}

const source = `package p

func inner() int { return 1 }

func outer() int {
	return 0 +
		inner()
}

func T() (n int) {
	defer inner2(outer())
	f := func() int {
		return outer()
	}
	return f()
}

func inner2(int) {}
`

// TestEdges compiles a package with -m. The edges are worked out by hand.
func TestEdges(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "p.go")
	write(t, file, source)
	write(t, filepath.Join(dir, "go.mod"), "module example.com/v1.x\n\ngo 1.26\n")
	cmd := exec.Command("go", "build", "-gcflags=-m")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	edges, _ := Edges(Source{
		Compilations: Parse(out),
		Packages:     []*Package{{ID: "example.com/v1.x", Path: "example.com/v1.x", Name: "p", Files: []string{file}, Instrumented: true}},
		Read:         os.ReadFile,
	})
	var got []string
	for _, e := range edges["example.com/v1.x"] {
		if e.Caller != anywhere {
			got = append(got, fmt.Sprintf("%s %+d %s", short(e.Caller), e.Offset, short(e.Callee)))
		}
	}
	want := []string{
		"T -3 inner", // where outer calls it, 3 lines before T
		"T +1 inner", // as if it were called where outer is
		"T +1 inner2",
		"T +1 outer",
		"T +3 inner",
		"T +3 outer",
		"T +5 T.func1",
		"T +5 inner",
		"T +5 outer",
		"T.deferwrap1 -4 inner", // the function that the compiler makes of the deferred call
		"T.deferwrap1 +0 inner",
		"T.deferwrap1 +0 inner2",
		"T.deferwrap1 +0 outer",
		"T.func1 -5 inner",
		"T.func1 +1 inner",
		"T.func1 +1 outer",
		"outer +2 inner",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s\n%s", diff, out)
	}
}

func short(symbol string) string { return strings.TrimPrefix(symbol, "example.com/v1%2ex.") }

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func edge(caller, callee string, offset int, weight int64) Edge {
	return Edge{Caller: caller, Callee: callee, Offset: offset, Weight: weight}
}

// TestEncode has the toolchain read what pgofile.Encode writes.
func TestEncode(t *testing.T) {
	edges := []Edge{
		edge("m/p.F", "m/p.small", 3, 7),
		edge("m/p.F", "m/p.(*T).m", -12, 5),
		edge("main.main", "m/p.Gen[go.shape.int]", 0, 5),
		edge(anywhere, "m/p.small", 0, 1),
	}
	got := preprofile(t, edges)
	if diff := cmp.Diff(edges, got); diff != "" {
		t.Error(diff)
	}
}

// preprofile returns the edges as `go tool preprofile` finds them in a profile.
func preprofile(t *testing.T, edges []Edge) []Edge {
	t.Helper()
	data, err := pgofile.Encode(edges)
	if err != nil {
		t.Fatal(err)
	}
	in, out := filepath.Join(t.TempDir(), "in"), filepath.Join(t.TempDir(), "out")
	write(t, in, string(data))
	if message, err := exec.Command("go", "tool", "preprofile", "-i", in, "-o", out).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, message)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	got, ok := ReadPreprofile(text)
	if !ok {
		t.Fatalf("cannot read\n%s", text)
	}
	return got
}

// TestMerge does with the result what the compiler does.
func TestMerge(t *testing.T) {
	user := []Edge{edge("a", "b", 1, 600), edge("a", "c", 2, 380), edge("d", "e", 3, 11), edge("f", "g", 4, 9)} // of 1000; the first three are hot
	tests := []struct {
		ours []Edge
		want string
	}{
		{[]Edge{edge("x", "y", 1, 1), edge("x", "z", 1, 1)}, "xy xz ab ac de"},
		{[]Edge{edge("a", "b", 1, 1)}, "ab ac de"},
		{[]Edge{edge("f", "g", 4, 1)}, "fg ab ac de"},
		{[]Edge{edge("a", "b", 1, 1), edge("a", "c", 2, 1), edge("d", "e", 3, 1)}, "ab ac de"},
		{nil, "ab ac de"},
	}
	for _, test := range tests {
		edges, threshold := Merge(user, test.ours)
		limit, err := strconv.ParseFloat(threshold, 64)
		if err != nil {
			t.Fatal(err)
		}
		if got := hot(preprofile(t, edges), limit); got != test.want {
			t.Errorf("Merge(%v): %s is hot, want %s", test.ours, got, test.want)
		}
	}
}

// hot returns what the compiler takes for hot (cmd/compile/internal/inline.hotNodesFromCDF).
func hot(edges []Edge, threshold float64) string {
	var names []string
	sum, total := int64(0), int64(0)
	for _, e := range edges {
		total += e.Weight
	}
	for _, e := range edges {
		names = append(names, e.Caller+e.Callee)
		if sum += e.Weight; float64(sum)/float64(total)*100 > threshold {
			break
		}
	}
	return strings.Join(names, " ")
}

func TestLost(t *testing.T) {
	plain := Parse([]byte("# p\n./p.go:1:5: inlining call to f\n./p.go:1:9: inlining call to f\n./p.go:2:9: inlining call to g\n" +
		"# p [p.test]\n./p.go:1:5: inlining call to f\n./p.go:1:9: inlining call to f\n./p_test.go:2:9: inlining call to f\n# q\n./q.go:1:1: inlining call to f\n"))
	now := Parse([]byte("# p\n./p.go:1:77: inlining call to f\n./p.go:2:9: inlining call to rt.Add\n# p [p.test]\n./p.go:1:77: inlining call to f\n"))
	lost, total := Lost(plain, now, func(id string) bool { return id != "q" })
	want := []LostCall{
		{Call{"./p.go", 1, 5, "f"}, "p", 1},
		{Call{"./p.go", 2, 9, "g"}, "p", 1},
		{Call{"./p_test.go", 2, 9, "f"}, "p", 1},
	}
	if diff := cmp.Diff(want, lost); diff != "" || total != 4 {
		t.Errorf("of %d\n%s", total, diff)
	}
}
