package ssacfg

import (
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
	"github.com/goprofinstr/goprofinstr/ssacfg/selector"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A Call is a call of which the source tells what function it calls, or one that may be a selector's. Calls are steps of
// traces, so that wherever the graph is simplified they stay with what is executed as often as they are. Those in go and
// defer statements are not among them: the compiler never inlines these.
type Call struct {
	Pos    token.Pos // of the parenthesis, where the compiler says that the call is
	Callee table.Callee
	Method string // of a callee that is not known: the method of an interface, or the last part of the name

	Arguments []Argument // with the receiver, if the callee is known; nil if not Input.Evaluated

	dynamic bool        // Callee is not known
	merged  bool        // it is on one of several edges that have become one, so that how often it is executed is not known
	after   *mark.Place // the last place before it in its block of SSA, or nil
}

// A CallSite is a Call with where it is in the graph.
type CallSite struct {
	*Call
	Block, Edge int // one of them is -1
	Reached     int // how many of the block's places have been reached where all before the call have
}

// Calls returns the calls of a function whose callees are known. A call in what has become several edges is on each of them.
func (fn *Func) Calls() []CallSite {
	return fn.calls(func(c *Call) bool { return !c.dynamic })
}

// AllCalls returns all calls of a function. Those whose callees are not known are among them if Input.Evaluated, and have no
// Callee. A call in what has become several edges is on each of them.
func (fn *Func) AllCalls() []CallSite { return fn.calls(func(*Call) bool { return true }) }

// Counted reports whether it is known how often the call is executed: as often as its block or edge.
func (c *Call) Counted() bool { return !c.merged }

// SitesOf returns where the call of a selector is in the graph; nil if it is not known how often it is executed.
func (fn *Func) SitesOf(s *selector.Selector) []CallSite {
	list := fn.calls(func(c *Call) bool { return c.dynamic && c.Pos == s.Pos })
	if slices.ContainsFunc(list, func(c CallSite) bool { return c.merged }) {
		return nil
	}
	return list
}

func (fn *Func) calls(want func(*Call) bool) []CallSite {
	var list []CallSite
	for i, b := range fn.Graph.Blocks {
		for _, s := range b.trace {
			if s, ok := s.(called); ok && want(s.Call) {
				list = append(list, CallSite{s.Call, i, -1, slices.Index(b.Places, s.after) + 1})
			}
		}
	}
	for i, e := range fn.Graph.Edges {
		for _, s := range e.trace {
			if s, ok := s.(called); ok && want(s.Call) {
				list = append(list, CallSite{Call: s.Call, Block: -1, Edge: i})
			}
		}
	}
	return list
}

// call returns the step of a call of a known function, or of one that selectors are for; nil if instr is anything else.
func (x *extractor) call(instr ssa.Instruction, after *mark.Place) trace {
	call, ok := instr.(*ssa.Call)
	if !ok || !call.Call.Pos().IsValid() {
		return nil
	}
	fn := call.Call.StaticCallee()
	if fn == nil {
		if _, builtin := call.Call.Value.(*ssa.Builtin); builtin || !x.dynamic {
			return nil
		}
		c := &Call{Pos: call.Call.Pos(), dynamic: true, after: after}
		if call.Call.IsInvoke() {
			c.Method = call.Call.Method.Name()
		}
		return trace{called{c}}
	}
	callee, ok := x.callee(fn)
	switch {
	case ok:
		c := &Call{Pos: call.Call.Pos(), Callee: callee, after: after}
		if x.evaluated {
			c.Arguments = arguments(call.Call.Args)
		}
		return trace{called{c}}
	case x.evaluated:
		return trace{called{&Call{Pos: call.Call.Pos(), Method: fn.Name(), dynamic: true, after: after}}}
	}
	return nil
}

// callee returns the name of a function as the linker has it, but for escapes in the path.
func (x *extractor) callee(fn *ssa.Function) (c table.Callee, ok bool) {
	args, ok := shapes(fn)
	if !ok {
		return c, false
	}
	if lit := fn.Parent(); lit != nil {
		return table.Callee{Package: x.path, Name: x.literals[fn.Pos()]}, fn.TypeArgs() == nil && x.literals[fn.Pos()] != ""
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok || obj.Pkg() == nil {
		return c, false
	}
	c = table.Callee{Package: obj.Pkg().Path(), Name: obj.Name()}
	if recv := obj.Signature().Recv(); recv != nil {
		pointer := ""
		t := types.Unalias(recv.Type())
		if p, ok := t.(*types.Pointer); ok {
			pointer, t = "*", types.Unalias(p.Elem())
		}
		named, ok := t.(*types.Named)
		if !ok || named.Obj().Parent() != named.Obj().Pkg().Scope() {
			return c, false
		}
		typ := named.Obj().Name() + args
		if pointer != "" {
			typ = "(*" + typ + ")"
		}
		c.Name = typ + "." + c.Name
	} else {
		c.Name += args
	}
	return c, true
}

// shapes returns the type arguments of an instance as in the name of the code that the compiler makes for it, "[go.shape.int]".
// "$0" stands for the first type argument of the caller. shapes is not ok for arguments that are made of the caller's. See
// shapify in cmd/compile/internal/noder/reader.go.
func shapes(fn *ssa.Function) (text string, ok bool) {
	targs := fn.TypeArgs()
	if len(targs) == 0 {
		return "", true
	}
	params := fn.Origin().TypeParams()
	var list []string
	for i, t := range targs {
		if p, ok := types.Unalias(t).(*types.TypeParam); ok {
			list = append(list, "$"+strconv.Itoa(p.Index()))
			continue
		}
		if mentionsParam(t) {
			return "", false
		}
		constraint, _ := params.At(i).Constraint().Underlying().(*types.Interface)
		under := t.Underlying()
		if _, pointer := under.(*types.Pointer); pointer && constraint != nil && constraint.IsMethodSet() {
			under = types.NewPointer(types.Typ[types.Uint8])
		}
		list = append(list, "go.shape."+types.TypeString(under, (*types.Package).Path))
	}
	return "[" + strings.Join(list, ",") + "]", true
}

// mentionsParam reports whether a type parameter occurs in t.
func mentionsParam(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		for i := range t.TypeArgs().Len() {
			if mentionsParam(t.TypeArgs().At(i)) {
				return true
			}
		}
		return false
	case *types.Map:
		return mentionsParam(t.Key()) || mentionsParam(t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays and channels
		return mentionsParam(t.Elem())
	case *types.Basic:
		return false
	}
	text := t.String()
	return strings.Contains(text, "func") || strings.Contains(text, "struct") || strings.Contains(text, "interface")
}
