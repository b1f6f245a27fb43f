package pathmap

import (
	"go/ast"

	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
)

// Mentions are names of functions that the source mentions otherwise than in calls that are in graphs. Names of methods are
// without types.
type Mentions struct {
	Values   map[string]bool // what is no call; variables and fields are among them
	Deferred map[string]bool // what go and defer statements call
	Initial  map[string]int  // how often initial values of package variables call a function of the package
	Once     map[string]bool // what such values call otherwise: methods, functions of other packages, and behind && or ||

	Embedded map[string][]string // by type: the types of the package that it embeds
}

// Mentions returns what the files mention.
func (s *Source) Mentions() *Mentions {
	m := &Mentions{make(map[string]bool), make(map[string]bool), make(map[string]int), make(map[string]bool),
		make(map[string][]string)}
	for _, f := range s.syntax {
		called := make(map[ast.Node]bool)
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				called[calledName(n)] = true
			case *ast.FuncDecl:
				called[n.Name] = true
			case *ast.Field:
				for _, id := range n.Names {
					called[id] = true
				}
			case *ast.TypeSpec:
				m.embeds(n)
			case *ast.GoStmt:
				m.defers(n.Call)
			case *ast.DeferStmt:
				m.defers(n.Call)
			case *ast.Ident:
				if !called[n] {
					m.Values[n.Name] = true
				}
			}
			return true
		})
		for _, d := range f.Decls {
			if d, ok := d.(*ast.GenDecl); ok {
				m.initial(d, false)
			}
		}
	}
	return m
}

// calledName returns the last name in what is called, or nil.
func calledName(c *ast.CallExpr) *ast.Ident {
	x := ast.Unparen(c.Fun)
	for {
		switch e := x.(type) {
		case *ast.IndexExpr:
			x = e.X
		case *ast.IndexListExpr:
			x = e.X
		case *ast.Ident:
			return e
		case *ast.SelectorExpr:
			return e.Sel
		default:
			return nil
		}
	}
}

// embeds notes what a type embeds.
func (m *Mentions) embeds(t *ast.TypeSpec) {
	s, ok := t.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range s.Fields.List {
		x := f.Type
		if p, ok := x.(*ast.StarExpr); ok {
			x = p.X
		}
		if i, ok := x.(*ast.IndexExpr); ok {
			x = i.X
		}
		if id, ok := x.(*ast.Ident); ok && len(f.Names) == 0 {
			m.Embedded[t.Name.Name] = append(m.Embedded[t.Name.Name], id.Name)
		}
	}
}

func (m *Mentions) defers(c *ast.CallExpr) {
	if id := calledName(c); id != nil {
		m.Deferred[id.Name] = true
	}
}

// initial notes the calls in initial values, of which those that are evaluated sometimes have no count.
func (m *Mentions) initial(n ast.Node, sometimes bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BinaryExpr:
			if !sometimes && mark.IsLogical(n) {
				m.initial(n, true)
				return false
			}
		case *ast.CallExpr:
			if id := calledName(n); id != nil {
				if _, selects := ast.Unparen(n.Fun).(*ast.SelectorExpr); selects || sometimes {
					m.Once[id.Name] = true
				} else {
					m.Initial[id.Name]++
				}
			}
		}
		return true
	})
}
