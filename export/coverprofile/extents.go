package coverprofile

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goprofinstr/goprofinstr/internal/show"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// An Extent is a block of a coverage profile: a run of statements with one count.
type Extent struct {
	File                                 string // as profiles name it: import path and base name
	StartLine, StartCol, EndLine, EndCol int    // 1-based, columns in bytes, moved by //line directives as Go does
	Stmts                                int

	at position // of the counter in the file, whatever //line directives say
}

// A position is a line and a column of a file, both 1-based, columns in bytes.
type position struct{ line, col int }

func (p position) before(q position) bool {
	return p.line < q.line || p.line == q.line && p.col < q.col
}

// A Tool runs the cover tool of a Go toolchain.
type Tool struct {
	Go  string   // the go command
	Dir string   // where it runs, which may decide on the toolchain; "" is the current directory
	Env []string // its environment; nil is that of this process
}

// Extents has the cover tool list the extents of a file, in the tool's order. The file is part of package pkg.
// local tells that pkg is no import path (Go files on the command line): extents are then named by the file's
// own name.
func (t Tool) Extents(pkg string, local bool, f File) ([]Extent, error) {
	src, err := f.read()
	if err != nil {
		return nil, err
	}
	variable := counterName(src)
	cmd := exec.Command(t.Go, "tool", "cover", "-mode=count", "-var="+variable, "--", f.onDisk())
	cmd.Dir, cmd.Env = t.Dir, t.Env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s tool cover: %v: %s", t.Go, err, bytes.TrimSpace(stderr.Bytes()))
	}
	extents, offsets, err := readTool(out, src, variable)
	if err != nil {
		return nil, fmt.Errorf("%s: output of go tool cover: %v", f.Name, err)
	}
	names, err := newFileNames(f.Name, src)
	if err != nil {
		return nil, err
	}
	lines := lineStarts(src)
	for i := range extents {
		b := &extents[i]
		b.at = lines.position(offsets[i])
		b.File = f.Name
		if !local {
			b.File = path.Join(pkg, names.at(offsets[i]))
		}
	}
	return extents, nil
}

// counterName returns an identifier that does not occur in src.
func counterName(src []byte) string {
	name := "GoCover"
	for bytes.Contains(src, []byte(name)) {
		name += "_"
	}
	return name
}

// readTool reads what go tool cover has made of src: the source with counters in it,
//
//	//line FILE:1:1
//	…{VAR.Count[0]++;…
//
//	var VAR = struct {
//		Count     [N]uint32
//		Pos       [3 * N]uint32
//		NumStmt   [N]uint16
//	} {
//		Pos: [3 * N]uint32{
//			StartLine, EndLine, EndCol<<16|StartCol, // [0]
//			…
//		NumStmt: [N]uint16{
//			Stmts, // 0
//			…
//
// It returns the extents, and the offset in src of the counter of each.
func readTool(out, src []byte, variable string) (extents []Extent, offsets []int, err error) {
	_, rest, _ := bytes.Cut(out, []byte("\n"))
	i := bytes.LastIndex(rest, []byte("\nvar "+variable+" = struct {\n"))
	if i < 0 {
		return nil, nil, fmt.Errorf("no table of positions")
	}
	extents, err = readPositions(string(rest[i:]))
	if err != nil {
		return nil, nil, err
	}
	offsets, err = findCounters(rest[:i], src, variable, len(extents))
	return extents, offsets, err
}

var (
	positionLine   = regexp.MustCompile(`(?m)^\t\t(\d+), (\d+), 0x([0-9a-f]+), // \[\d+\]$`)
	statementsLine = regexp.MustCompile(`(?m)^\t\t(\d+), // \d+$`)
)

func readPositions(table string) ([]Extent, error) {
	positions := positionLine.FindAllStringSubmatch(table, -1)
	statements := statementsLine.FindAllStringSubmatch(table, -1)
	if len(positions) != len(statements) {
		return nil, fmt.Errorf("%d positions, %d numbers of statements", len(positions), len(statements))
	}
	extents := make([]Extent, len(positions))
	for i, p := range positions {
		var numbers [4]int
		for j, field := range []struct {
			text string
			base int
		}{{p[1], 10}, {p[2], 10}, {p[3], 16}, {statements[i][1], 10}} {
			n, err := strconv.ParseUint(field.text, field.base, 32)
			if err != nil {
				return nil, err
			}
			numbers[j] = int(n)
		}
		extents[i] = Extent{
			StartLine: numbers[0], StartCol: numbers[2] & 0xffff,
			EndLine: numbers[1], EndCol: numbers[2] >> 16,
			Stmts: numbers[3],
		}
	}
	return extents, nil
}

// findCounters returns where in src the n counters of the instrumented text are. Besides counters, the tool
// inserts braces around the if statement of an else-if.
func findCounters(text, src []byte, variable string, n int) ([]int, error) {
	counter := regexp.MustCompile(`^` + variable + `\.Count\[(\d+)\]\+\+;`)
	at := make([]int, n)
	found, offset := 0, 0
	for len(text) > 0 {
		if m := counter.FindSubmatch(text); m != nil {
			id, err := strconv.Atoi(string(m[1]))
			if err != nil || id >= n {
				return nil, fmt.Errorf("counter %s of %d", m[1], n)
			}
			at[id] = offset
			found++
			text = text[len(m[0]):]
			continue
		}
		switch c := text[0]; {
		case offset < len(src) && c == src[offset]:
			offset++
		case c == '{' || c == '}':
		default:
			return nil, fmt.Errorf("not the source at offset %d", offset)
		}
		text = text[1:]
	}
	if found != n || offset != len(src) {
		return nil, fmt.Errorf("%d of %d counters in %d of %d bytes of the source", found, n, offset, len(src))
	}
	return at, nil
}

// lines are the offsets at which the lines of a file start.
type lines []int

func lineStarts(src []byte) lines {
	starts := lines{0}
	for i, c := range src {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

func (l lines) position(offset int) position {
	i, found := slices.BinarySearch(l, offset)
	if !found {
		i--
	}
	return position{i + 1, offset - l[i] + 1}
}

// fileNames tells the names that the extents of a file have in a profile. Go names all extents of a function by the
// file in which the function begins. A //line directive before it, as generators of parsers write them, changes
// that.
type fileNames struct {
	file   *token.File
	starts []token.Pos // of functions that are in no other
	names  []string    // base names, for each of these
}

func newFileNames(name string, src []byte) (*fileNames, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, err
	}
	n := &fileNames{file: fset.File(f.FileStart)}
	ast.Inspect(f, func(node ast.Node) bool {
		switch node.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			n.starts = append(n.starts, node.Pos())
			n.names = append(n.names, filepath.Base(fset.Position(node.Pos()).Filename))
			return false
		}
		return true
	})
	return n, nil
}

// at returns the name of the file that a counter at an offset is in.
func (n *fileNames) at(offset int) string {
	i, found := slices.BinarySearch(n.starts, n.file.Pos(offset))
	if !found {
		i--
	}
	return n.names[max(i, 0)] // every counter is in a function
}

// mostSource is what is read of a source file, in bytes.
const mostSource = 64 << 20

// read returns the contents of the file, if they are still those that were instrumented.
func (f File) read() ([]byte, error) {
	src, err := rundata.ReadWhole(f.onDisk(), mostSource)
	if err != nil {
		return nil, err
	}
	if sum(src) != f.Sum {
		return nil, fmt.Errorf("%s has changed since it was instrumented: its counts are of other code: run goprofinstr wrap again", f.onDisk())
	}
	return src, nil
}

func (f File) onDisk() string {
	if f.Replacement != "" {
		return f.Replacement
	}
	return f.Name
}

// Counter returns where the counter of e is in its file, as line.column.
func (e Extent) Counter() string { return fmt.Sprintf("%d.%d", e.at.line, e.at.col) }

// String returns the line that a profile has for e, without the count.
func (e Extent) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s:%d.%d,%d.%d %d", show.Printable(e.File), e.StartLine, e.StartCol, e.EndLine, e.EndCol, e.Stmts)
	return s.String()
}
