package parquet

import (
	"fmt"
	"io"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/parquetfile"
)

// A Kind is what the rows of a file are of.
type Kind string

// The kinds of files.
const (
	Functions Kind = "functions" // all functions, also those that were not executed
	Paths     Kind = "paths"     // paths that were executed
	Edges     Kind = "edges"     // all edges
	Calls     Kind = "calls"     // all calls, and the targets of those whose target is not known before
	Trips     Kind = "trips"     // how often loops went round
	Values    Kind = "values"    // values of events
)

// Kinds are all of them.
var Kinds = []Kind{Functions, Paths, Edges, Calls, Trips, Values}

// A Writer writes one file.
type Writer struct {
	write func(g group, p *profile.Profile) error
	close func() error
}

// NewWriter returns a writer of a file.
func NewWriter(w io.Writer, kind Kind) (*Writer, error) {
	switch kind {
	case Functions:
		return newWriter(w, functionRows), nil
	case Paths:
		return newWriter(w, instrumented(pathRows)), nil
	case Edges:
		return newWriter(w, instrumented(edgeRows)), nil
	case Calls:
		return newWriter(w, instrumented(callRows)), nil
	case Trips, Values:
		return newWriter(w, instrumented(valueRows(string(kind)))), nil
	}
	return nil, fmt.Errorf("no Parquet file has %s", kind)
}

// A maker makes the rows that there are of a function.
type maker[R any] func(group, *profile.Profile, *profile.Package, *profile.Function) []R

// instrumented makes no rows of functions that were declined.
func instrumented[R any](rowsOf maker[R]) maker[R] {
	return func(g group, p *profile.Profile, pkg *profile.Package, f *profile.Function) []R {
		if f.Declined() {
			return nil
		}
		return rowsOf(g, p, pkg, f)
	}
}

// newWriter returns a writer of rows.
func newWriter[R any](w io.Writer, rowsOf maker[R]) *Writer {
	out := parquetfile.New[R](w, "goprofinstr") // without a version, so that equal rows are equal bytes
	write := func(g group, p *profile.Profile) error {
		for _, pkg := range p.Packages {
			for _, f := range pkg.Functions {
				if err := out.Write(rowsOf(g, p, pkg, f)...); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return &Writer{write, out.Close}
}

// Write writes the rows of a group of runs.
func (w *Writer) Write(g *Group, p *profile.Profile) error { return w.write(g.columns(), p) }

// Close writes what is left. The file that was written to stays open.
func (w *Writer) Close() error { return w.close() }

// Known reports whether there is a kind of a name.
func Known(name string) bool { return slices.Contains(Kinds, Kind(name)) }
