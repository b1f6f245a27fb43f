package coverage

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"path"
	"strings"
)

// WriteCobertura writes a report as coverage-04.dtd of Cobertura describes it. A package is a Go package, a class a
// file, whose name is relative to the source ".". Of a line with branches condition-coverage has all of them, and each
// condition says how many of its two were taken. The largest count is that of an int of 32 bits, which is what some
// readers have.
func (r *Report) WriteCobertura(w io.Writer) error {
	out := &xmlWriter{Writer: bufio.NewWriter(w)}
	t := TotalsOf(r.Files)
	fmt.Fprint(out, xml.Header+"<!DOCTYPE coverage SYSTEM \"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n")
	out.open("coverage", append(rates(t), "lines-covered", t.Lines.Executed, "lines-valid", t.Lines.All,
		"branches-covered", t.Branches.Executed, "branches-valid", t.Branches.All,
		"complexity", 0, "version", "goprofinstr", "timestamp", r.timestamp())...)
	out.open("sources")
	out.line("<source>.</source>")
	out.shut("sources")
	out.open("packages")
	for _, files := range byPackage(r.Files) {
		out.open("package", append([]any{"name", files[0].Package}, complexity(rates(TotalsOf(files)))...)...)
		out.open("classes")
		for _, f := range files {
			out.class(f)
		}
		out.shut("classes")
		out.shut("package")
	}
	out.shut("packages")
	out.shut("coverage")
	return out.Flush()
}

// timestamp returns when the last run began, in milliseconds; 0 if none did.
func (r *Report) timestamp() int64 {
	if r.Time.IsZero() {
		return 0
	}
	return r.Time.UnixMilli()
}

// byPackage returns files by their packages, which are sorted by their first file.
func byPackage(files []*File) (list [][]*File) {
	at := make(map[string]int)
	for _, f := range files {
		i, ok := at[f.Package]
		if !ok {
			i = len(list)
			at[f.Package], list = i, append(list, nil)
		}
		list[i] = append(list[i], f)
	}
	return list
}

// rates are attributes.
func rates(t Totals) []any {
	return []any{"line-rate", rate(t.Lines), "branch-rate", rate(t.Branches)}
}

func complexity(attributes []any) []any { return append(attributes, "complexity", 0) }

// rate returns a share as a number up to 1, which is that of nothing.
func rate(s Sum) string {
	if s.All == 0 {
		return "1"
	}
	return fmt.Sprintf("%.4g", float64(s.Executed)/float64(s.All))
}

// An xmlWriter writes elements, each on a line of its own.
type xmlWriter struct {
	*bufio.Writer
	depth int
}

func (w *xmlWriter) line(text string) { fmt.Fprintf(w, "%s%s\n", strings.Repeat("\t", w.depth), text) }

// open begins an element with attributes, each a name and a value.
func (w *xmlWriter) open(name string, attributes ...any) {
	w.line("<" + name + attributesText(attributes) + ">")
	w.depth++
}

func (w *xmlWriter) shut(name string) {
	w.depth--
	w.line("</" + name + ">")
}

// empty writes an element without content.
func (w *xmlWriter) empty(name string, attributes ...any) {
	w.line("<" + name + attributesText(attributes) + "/>")
}

func attributesText(attributes []any) string {
	var b strings.Builder
	for i := 0; i+1 < len(attributes); i += 2 {
		fmt.Fprintf(&b, " %s=\"", attributes[i])
		xml.EscapeText(&b, []byte(fmt.Sprint(attributes[i+1])))
		b.WriteString(`"`)
	}
	return b.String()
}

// class writes a file.
func (w *xmlWriter) class(f *File) {
	w.open("class", append([]any{"name", path.Base(f.Name), "filename", f.Name}, complexity(rates(f.Totals()))...)...)
	w.open("methods")
	for _, fn := range f.Functions {
		own := f.within(fn)
		w.open("method", append([]any{"name", fn.Name, "signature", ""}, complexity(rates(own.Totals()))...)...)
		w.lines(own.Lines)
		w.shut("method")
	}
	w.shut("methods")
	w.lines(f.Lines)
	w.shut("class")
}

// within returns the lines of a function, with those of literals in it.
func (f *File) within(fn Function) *File {
	own := new(File)
	for _, l := range f.Lines {
		if fn.Line <= l.Number && l.Number <= fn.EndLine {
			own.Lines = append(own.Lines, l)
		}
	}
	return own
}

func (w *xmlWriter) lines(lines []Line) {
	w.open("lines")
	for i := range lines {
		l := &lines[i]
		hits := min(l.Count, math.MaxInt32)
		taken, all := l.Branches()
		if all == 0 {
			w.empty("line", "number", l.Number, "hits", hits)
			continue
		}
		w.open("line", "number", l.Number, "hits", hits, "branch", "true",
			"condition-coverage", fmt.Sprintf("%d%% (%d/%d)", 100*taken/all, taken, all))
		w.open("conditions")
		for number, c := range l.Conditions {
			share := 50 * (one(c.True > 0) + one(c.False > 0))
			w.empty("condition", "number", number, "type", "jump", "coverage", fmt.Sprintf("%d%%", share))
		}
		w.shut("conditions")
		w.shut("line")
	}
	w.shut("lines")
}
