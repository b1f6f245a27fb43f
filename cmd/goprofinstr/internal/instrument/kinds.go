package instrument

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/guess"
	"github.com/goprofinstr/goprofinstr/internal/show"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/ssacfg/selector"
)

// kindsDirective is the comment before a function that asks for kinds of events. Package selector reads it.
const kindsDirective = "//goprofinstr:kinds"

// kinds are the names that -kinds takes. Paths and edges are counted anyway.
var kinds = []string{"paths", "edges", "calls", "trips", "values"}

// warnOfKinds returns a warning for each kind in a directive that there is not, and for each directive that asks for nothing.
// Package selector leaves these out. Packages whose rewriting is in the cache are not rewritten, so that it could not tell
// either.
func (s *session) warnOfKinds(o Options) (warnings []string) {
	if !o.Kinds.On() {
		return nil
	}
	for _, p := range s.build.Packages {
		for _, f := range p.Files {
			warnings = append(warnings, unheeded(f, s.cmd.Dir)...)
		}
	}
	slices.Sort(warnings)
	return slices.Compact(warnings)
}

// unheeded returns the warnings for a file, whose name is shown as in a folder.
func unheeded(f *load.File, dir string) (warnings []string) {
	if !bytes.Contains(f.Src, []byte(kindsDirective)) && !bytes.Contains(f.Src, []byte(selector.ValueDirective)) {
		return nil
	}
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, f.Name, f.Src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil // which the go command says
	}
	at := func(pos token.Pos) string {
		return fmt.Sprintf("%s:%d", show.ShortPath(dir, f.Name), fset.PositionFor(pos, false).Line)
	}
	for _, pos := range selector.Idle(fset, syntax) {
		warnings = append(warnings, fmt.Sprintf("%s: no statement that ends here assigns to a variable, so %s does nothing; "+
			"put it behind an assignment, or where a function with parameters begins", at(pos), selector.ValueDirective))
	}
	ofFunctions := make(map[*ast.CommentGroup]bool)
	for _, d := range syntax.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Doc != nil {
			ofFunctions[fn.Doc] = true
		}
	}
	for _, group := range syntax.Comments {
		for _, c := range group.List {
			list, ok := strings.CutPrefix(c.Text, kindsDirective)
			switch {
			case !ok || list != "" && list[0] != ' ':
			case !ofFunctions[group]:
				warnings = append(warnings, fmt.Sprintf("%s: %s is not right above a function, so it does nothing; move it there",
					at(c.Pos()), kindsDirective))
			default:
				warnings = append(warnings, unknownIn(list, at(c.Pos()))...)
			}
		}
	}
	return warnings
}

// unknownIn returns the warnings for the list of a directive, which stands at a line of a file.
func unknownIn(list, at string) (warnings []string) {
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); !slices.Contains(kinds, name) {
			warnings = append(warnings, fmt.Sprintf("%s: unknown kind %q in //goprofinstr:kinds%s; use calls, trips and values",
				at, name, guess.Hint(name, "", kinds)))
		}
	}
	return warnings
}
