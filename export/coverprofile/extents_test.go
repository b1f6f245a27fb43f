package coverprofile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// toolOutput is what go1.26.8 makes of the source, but for the position of block 0, which go1.27 has as
// 4.2,4.11. Counters stand in for themselves.
const (
	toolSource = `package p

func F(n int) int {
	if n > 0 {
	} else if n < 0 {
		n++
	}
	return n
}
`
	toolOutput = `//line /x/p.go:1:1
package p

func F(n int) int {V.Count[0]++;
	if n > 0 {V.Count[2]++;
	} else{ V.Count[3]++;if n < 0 {V.Count[4]++;
		n++
	}}
	V.Count[1]++;return n
}

var V = struct {
	Count     [5]uint32
	Pos       [3 * 5]uint32
	NumStmt   [5]uint16
} {
	Pos: [3 * 5]uint32{
		3, 4, 0xb0013, // [0]
		8, 8, 0xa0002, // [1]
		4, 5, 0x3000b, // [2]
		5, 5, 0x120008, // [3]
		5, 7, 0x30012, // [4]
	},
	NumStmt: [5]uint16{
		1, // 0
		1, // 1
		0, // 2
		1, // 3
		1, // 4
	},
}
`
)

func TestReadTool(t *testing.T) {
	blocks, offsets, err := readTool([]byte(toolOutput), []byte(toolSource), "V")
	if err != nil {
		t.Fatal(err)
	}
	lines := lineStarts([]byte(toolSource))
	var got []string
	for i, b := range blocks {
		at := lines.position(offsets[i])
		got = append(got, strings.TrimPrefix(b.String(), ":")+" at "+strings.TrimSuffix(Extent{StartLine: at.line, StartCol: at.col}.String()[1:], ",0.0 0"))
	}
	want := []string{
		"3.19,4.11 1 at 3.20",
		"8.2,8.10 1 at 8.2",
		"4.11,5.3 0 at 4.12",
		"5.8,5.18 1 at 5.9",
		"5.18,7.3 1 at 5.19",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestReadToolErrors(t *testing.T) {
	for _, tt := range []struct{ name, old, new, want string }{
		{"no table", "var V =", "var W =", "no table of positions"},
		{"no position", "\t\t5, 5, 0x120008, // [3]\n", "", "4 positions, 5 numbers of statements"},
		{"column", "0xb0013", "0xb00130000", "out of range"},
		{"counter", "V.Count[1]", "V.Count[5]", "counter 5 of 5"},
		{"no counter", "V.Count[1]++;", "", "4 of 5 counters"},
		{"text", "return n", "return m", "not the source at offset"},
	} {
		_, _, err := readTool([]byte(strings.Replace(toolOutput, tt.old, tt.new, 1)), []byte(toolSource), "V")
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
	}
}

// TestExtents asks the tool of this toolchain about a file in which line directives rename functions and an identifier
// has the name of the counters.
func TestExtents(t *testing.T) {
	const src = `package p

var GoCover, GoCover_ = func() {}, 1

//line y/grammar.y:10
func G() {}
`
	name := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(name, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	f := NewFile(name, "", []byte(src))
	blocks, err := Tool{Go: "go"}.Extents("example.com/p", false, f)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range blocks {
		got = append(got, b.File)
	}
	if diff := cmp.Diff([]string{"example.com/p/p.go", "example.com/p/grammar.y"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if blocks, err := (Tool{Go: "go"}).Extents("command-line-arguments", true, f); err != nil || blocks[0].File != name {
		t.Errorf("local file: %v, %v", blocks, err)
	}
	if err := os.WriteFile(name, []byte(src+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := (Tool{Go: "go"}).Extents("example.com/p", false, f); err == nil || !strings.Contains(err.Error(), "has changed") {
		t.Errorf("changed file: error %v", err)
	}
}
