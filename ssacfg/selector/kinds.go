package selector

import (
	"go/ast"
	"strings"

	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
)

// kindsDirective is a comment before a function that asks for kinds of events.
const kindsDirective = "//goprofinstr:kinds"

// Kinds says which kinds of events are made.
type Kinds struct{ Calls, Trips, Values bool }

// Of returns the kinds for a function: those for its package, and those that a comment before it asks for.
func (kinds Kinds) Of(fn *mark.Func) Kinds {
	decl, ok := fn.Node.(*ast.FuncDecl)
	if !ok || decl.Doc == nil {
		return kinds
	}
	for _, c := range decl.Doc.List {
		if list, ok := strings.CutPrefix(c.Text, kindsDirective+" "); ok {
			for kind := range strings.SplitSeq(list, ",") {
				kinds.add(strings.TrimSpace(kind))
			}
		}
	}
	return kinds
}

// add adds a kind by its name, if it is one.
func (k *Kinds) add(name string) {
	switch name {
	case "calls":
		k.Calls = true
	case "trips":
		k.Trips = true
	case "values":
		k.Values = true
	}
}
