package label

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
)

// A Source is a file to be given labels.
type Source struct {
	Name     string // absolute
	Trimmed  string // see File
	Src      []byte
	Declined string // why it gets none, or ""
	Beside   bool   // it has them as a file of another package that is compiled without the test files of this one
}

// A Package is a package with labels.
type Package struct {
	Table *Table
	Files map[string][]byte // source with labels by absolute file name; files not in it stay as they are
}

// Insert gives labels to the files of a package, which come in the order of their compilation: it decides on the names of
// functions.
func Insert(id string, files []Source) (*Package, error) {
	p := &Package{Table: &Table{Package: id}, Files: make(map[string][]byte)}
	var names mark.Package
	for _, s := range files {
		f := File{Name: s.Name, Trimmed: s.Trimmed, Declined: s.Declined}
		if s.Declined == "" {
			w, err := newWriter(s, &names)
			if err != nil {
				return nil, err
			}
			if f.Declined = w.whyNot(); f.Declined == "" && !s.Beside && len(w.labels) > 0 {
				f.Labels, f.Also, p.Files[s.Name] = w.labels, w.layout.others(), w.write()
			}
		}
		if !s.Beside {
			p.Table.Files = append(p.Table.Files, f)
		}
	}
	return p, nil
}

// whyNot returns why the file cannot get labels, "" if it can.
func (w *writer) whyNot() string {
	if len(w.labels) > most {
		return fmt.Sprintf("has more than %d pieces", most)
	}
	for _, name := range w.layout.names() {
		if _, _, ok := trailingNumber(name); ok || strings.Contains(name, "*/") || strings.ContainsAny(name, "\r\n") {
			return fmt.Sprintf("is from a file that a line directive cannot name: %q", name)
		}
		if strings.Contains(name, infix) {
			return fmt.Sprintf("is from a file whose name has %s, as those with labels: %s", infix, name)
		}
	}
	return ""
}

// A writer writes the labels of a file.
type writer struct {
	*cutter
	src []byte
	out bytes.Buffer
	at  int // offset up to which the source is written
}

// newWriter parses a file and divides it.
func newWriter(s Source, names *mark.Package) (*writer, error) {
	fset := token.NewFileSet()
	parse := func() (*ast.File, error) { return parser.ParseFile(fset, s.Name, s.Src, parser.SkipObjectResolution) }
	marked, err := parse()
	if err != nil {
		return nil, err
	}
	c := &cutter{layout: lay(s.Name, s.Src), names: make(map[int]string)}
	c.file = fset.File(marked.Pos())
	for _, fn := range names.File(marked).Funcs {
		c.names[c.file.Offset(fn.Node.Pos())] = fn.Name
	}
	syntax, err := parser.ParseFile(fset, s.Name, s.Src, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, err
	}
	c.file = fset.File(syntax.Pos())
	c.divide(syntax)
	return &writer{cutter: c, src: s.Src}, nil
}

// write returns the source with labels.
func (w *writer) write() []byte {
	next := 0 // of the directives of the user's
	for i, c := range w.cuts {
		for next < len(w.layout.bases) && w.layout.bases[next].offset <= c.offset {
			next++
		}
		w.directive(c.offset, c.label)
		// A directive of the user's within the piece says where the rest of it is from, without the label.
		for ; c.label >= 0 && next < len(w.layout.bases) && w.layout.bases[next].offset < w.cuts[i+1].offset; next++ {
			if at := w.layout.after(w.layout.bases[next].offset); at < w.cuts[i+1].offset {
				w.directive(at, c.label)
			}
		}
	}
	w.out.Write(w.src[w.at:])
	return w.out.Bytes()
}

// directive writes the source up to an offset, and a directive there.
func (w *writer) directive(offset, label int) {
	w.out.Write(w.src[w.at:offset])
	w.at = offset
	p := w.layout.at(offset)
	name := p.name
	if label >= 0 {
		name = Name(name, label)
	}
	if w.layout.mayBreak(offset) {
		w.out.WriteByte('\n')
	}
	fmt.Fprintf(&w.out, "/*line %s:%d", name, p.line)
	if p.col > 0 {
		fmt.Fprintf(&w.out, ":%d", p.col)
	}
	w.out.WriteString("*/")
}
