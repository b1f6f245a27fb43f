package audit

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/goprofinstr/goprofinstr/internal/align"
)

// maxSource is what is read of a file. No source is so large.
const maxSource = 16 << 20

// AddSources adds the sources of all versions that are declared below a folder, and to which no link leads out of it.
// Without a source, a report has the place of a version only.
func (r *Report) AddSources(dir string) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return
	}
	defer root.Close()
	read := make(map[string]string)
	for i := range r.Functions {
		for j := range r.Functions[i].Versions {
			v := &r.Functions[i].Versions[j]
			if _, ok := read[v.File]; !ok {
				read[v.File] = contents(root, v.File)
			}
			v.Source = declaration(read[v.File], v.Line)
		}
	}
}

// contents returns the text of a Go file, "" if it cannot be read.
func contents(root *os.Root, name string) string {
	name = filepath.FromSlash(name)
	if filepath.Ext(name) != ".go" || !filepath.IsLocal(name) {
		return ""
	}
	if info, err := root.Stat(name); err != nil || !info.Mode().IsRegular() || info.Size() > maxSource {
		return ""
	}
	f, err := root.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSource))
	if err != nil {
		return ""
	}
	return string(data)
}

// declaration returns the function that is declared on a line of a file, "" if there is none.
func declaration(text string, line int) string {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return ""
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			begin, end := fset.PositionFor(f.Pos(), false), fset.PositionFor(f.End(), false)
			if name := fset.PositionFor(f.Name.Pos(), false); begin.Line == line || name.Line == line {
				return strings.ReplaceAll(text[begin.Offset:end.Offset], "\r\n", "\n")
			}
		}
	}
	return ""
}

// A sideBySide is the sources of the original and another version.
type sideBySide struct {
	A, B           string // labels
	PlaceA, PlaceB string
	Rows           []sourceRow
}

// A sourceRow is a line of one or both sources. A number of 0 means that there is none.
type sourceRow struct {
	A, B         int // numbers of lines
	TextA, TextB string
	Same         bool
}

// sources returns the sources of the versions of f beside that of the original, where both are known and not the same.
func (f *Function) sources() []sideBySide {
	var list []sideBySide
	for i := 1; i < len(f.Versions); i++ {
		a, b := &f.Versions[0], &f.Versions[i]
		if a.Source == "" || b.Source == "" || a.Source == b.Source {
			continue
		}
		list = append(list, sideBySide{A: f.Label(0), B: f.Label(i), PlaceA: a.place(), PlaceB: b.place(), Rows: beside(a, b)})
	}
	return list
}

// beside puts the lines that two versions have in common beside each other, and of those between them as many as there
// are.
func beside(a, b *Version) []sourceRow {
	left, right := strings.Split(a.Source, "\n"), strings.Split(b.Source, "\n")
	var rows []sourceRow
	i, j := 0, 0
	others := func(toI, toJ int) {
		for i < toI || j < toJ {
			var row sourceRow
			if i < toI {
				row.A, row.TextA = a.Line+i, left[i]
				i++
			}
			if j < toJ {
				row.B, row.TextB = b.Line+j, right[j]
				j++
			}
			rows = append(rows, row)
		}
	}
	for at, to := range align.Lines(left, right) {
		if to >= 0 {
			others(at, to)
			rows = append(rows, sourceRow{a.Line + at, b.Line + to, left[at], right[to], true})
			i, j = at+1, to+1
		}
	}
	others(len(left), len(right))
	return rows
}

// place returns where a version is declared.
func (v *Version) place() string { return fmt.Sprintf("%s:%d", v.File, v.Line) }
