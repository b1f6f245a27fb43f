package export

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/pgofile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// pgoShare is how much of all calls the edges make up that a profile for the compiler has, the heaviest ones. The
// compiler looks at 99%, so that what is left out hardly moves its threshold.
const pgoShare = 0.9999

// WritePGO writes a profile for go build -pgo: the calls in instrumented functions, with how often they were executed,
// and those of interface methods and function values if they were counted (PEP section 6.5 has its profile drive the
// compiler that way). A CPU profile has them too, as far as they were seen 100 times a second, weighted with the time
// below them.
func WritePGO(w io.Writer, p *profile.Profile) error {
	data, err := pgofile.Encode(hottestEdges(newCallGraph(p).edges()))
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// hottestEdges returns the heaviest edges that make up pgoShare of the weight of all.
func hottestEdges(edges []pgofile.Edge) []pgofile.Edge {
	slices.SortFunc(edges, func(a, b pgofile.Edge) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Caller, b.Caller), cmp.Compare(a.Callee, b.Callee), cmp.Compare(a.Offset, b.Offset))
	})
	total, sum := 0.0, 0.0
	for _, e := range edges {
		total += float64(e.Weight)
	}
	for i, e := range edges {
		if sum >= pgoShare*total {
			return edges[:i]
		}
		sum += float64(e.Weight)
	}
	return edges
}

// A callGraph has the calls of a profile. Generic functions are there once as the source has them, F[...], but the
// compiler makes several of them, F[go.shape.int], whose names are those of what is called. How often each was
// executed nothing has counted; so they share the calls in them as they do the calls of them.
type callGraph struct {
	calls     []call
	instances map[table.Callee]map[string]float64 // calls of each instance, by F[...] and the instance's type arguments
}

// A call is one in the source, executed count times.
type call struct {
	caller, callee table.Callee // of generic functions, F[...] calls G[$0]
	main           bool         // the caller is in a package main
	offset         int
	count          int64

	target string // symbol of the callee, if it was not known before the call
}

func newCallGraph(p *profile.Profile) *callGraph {
	g := &callGraph{instances: make(map[table.Callee]map[string]float64)}
	for _, pkg := range p.Packages {
		path, _, _ := strings.Cut(pkg.Path, " [")
		for _, f := range pkg.Functions {
			caller := table.Callee{Package: path, Name: strings.TrimPrefix(f.Table.Name, path+".")}
			for i, n := range f.CallCounts() {
				c := f.Table.Calls[i]
				if n > 0 {
					g.calls = append(g.calls, call{caller: caller, callee: pkg.Callees[c.Callee], main: pkg.Main, offset: c.Line, count: n * int64(1+c.More)})
				}
			}
			for _, e := range f.Events {
				for _, v := range e.Values {
					if e.Kind == table.Calls && v.Known() {
						g.calls = append(g.calls, call{caller: caller, target: v.Name, main: pkg.Main, offset: e.Offset, count: v.Count})
					}
				}
			}
		}
	}
	g.findInstances()
	return g
}

// genericDepth is how deep generic functions may call each other with their own type arguments for their instances to
// be found.
const genericDepth = 8

// findInstances sets g.instances: first those that are called with types, then those that these call with theirs, and
// so on.
func (g *callGraph) findInstances() {
	for range genericDepth {
		next := make(map[table.Callee]map[string]float64)
		for _, c := range g.calls {
			for args, share := range g.shares(c.caller) {
				callee := instantiate(c.callee, args)
				of, calleeArgs := generic(callee)
				if calleeArgs == "" {
					continue
				}
				if next[of] == nil {
					next[of] = make(map[string]float64)
				}
				next[of][calleeArgs] += share * float64(c.count)
			}
		}
		g.instances = next
	}
}

// shares returns the shares of the instances of a function in what it does, by their type arguments. One that is not
// generic has one, "".
func (g *callGraph) shares(f table.Callee) map[string]float64 {
	f.Name = outermost(f.Name)
	if !strings.Contains(f.Name, "[...]") {
		return map[string]float64{"": 1}
	}
	total := 0.0
	for _, args := range slices.Sorted(maps.Keys(g.instances[f])) {
		total += g.instances[f][args]
	}
	shares := make(map[string]float64)
	for args, n := range g.instances[f] {
		shares[args] = n / total
	}
	return shares
}

// edges returns the calls as the compiler looks for them.
func (g *callGraph) edges() []pgofile.Edge {
	weights := make(map[pgofile.Edge]float64)
	for _, c := range g.calls {
		for args, share := range g.shares(c.caller) {
			caller := c.caller
			caller.Name = strings.Replace(caller.Name, "[...]", args, 1)
			e := pgofile.Edge{Caller: symbol(caller, c), Callee: c.target, Offset: c.offset}
			if e.Callee == "" {
				e.Callee = symbol(instantiate(c.callee, args), c)
			}
			weights[e] += share * float64(c.count)
		}
	}
	var edges []pgofile.Edge
	for e, weight := range weights {
		if e.Weight = int64(weight + 0.5); e.Weight > 0 {
			edges = append(edges, e)
		}
	}
	return edges
}

// symbol returns the name that the linker has for the caller or the callee of c.
func symbol(f table.Callee, c call) string {
	if c.main && f.Package == c.caller.Package {
		return "main." + f.Name
	}
	return pgofile.EscapePath(f.Package) + "." + f.Name
}

// instantiate returns what is called where a caller with the given type arguments calls f.
func instantiate(f table.Callee, args string) table.Callee {
	if args == "" || !strings.Contains(f.Name, "$") {
		return f
	}
	own := typeArgs(args)
	_, calleeArgs := generic(f)
	list := typeArgs(calleeArgs)
	for i, arg := range list {
		if n, err := strconv.Atoi(strings.TrimPrefix(arg, "$")); err == nil && n < len(own) {
			list[i] = own[n]
		}
	}
	f.Name = strings.Replace(f.Name, calleeArgs, "["+strings.Join(list, ",")+"]", 1)
	return f
}

// generic returns the generic function that f is an instance of, and its type arguments in brackets; if it is none, f
// and "".
func generic(f table.Callee) (of table.Callee, args string) {
	from := strings.IndexByte(f.Name, '[')
	if from < 0 {
		return f, ""
	}
	depth := 0
	for i := from; i < len(f.Name); i++ {
		switch f.Name[i] {
		case '[':
			depth++
		case ']':
			depth--
		}
		if depth == 0 {
			return table.Callee{Package: f.Package, Name: f.Name[:from] + "[...]" + f.Name[i+1:]}, f.Name[from : i+1]
		}
	}
	return f, ""
}

// typeArgs takes type arguments in brackets apart.
func typeArgs(args string) (list []string) {
	depth, from := 0, 1
	for i, c := range args {
		switch c {
		case '[', '(', '{':
			depth++
		case ']', ')', '}':
			depth--
		}
		if c == ',' && depth == 1 || depth == 0 && i > 0 {
			list = append(list, args[from:i])
			from = i + 1
		}
	}
	return list
}

// outermost returns the declared function that a function literal is in: F of F.func1.2. For a declared function it is
// its own name.
func outermost(name string) string {
	if i := strings.Index(name, ".func"); i >= 0 && i+len(".func") < len(name) && '0' <= name[i+len(".func")] && name[i+len(".func")] <= '9' {
		return name[:i]
	}
	return name
}
