package profile

import (
	"math"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/internal/pgofile"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// How often a function is called from each line that calls it by name follows from the paths of its callers. Of these
// there are many samples, or counts. Stacks are few: some dozens in a second. So stacks divide the calls from one line
// among the contexts of that line, and counts say how many calls these are.

// A callSite is a line that calls some function.
type callSite struct {
	caller string // the linker's name for the function that it is in
	line   int    // from the one where the caller starts on
}

// fromSite is what is known of the calls from one line.
type fromSite struct {
	callSite
	in     *Function
	callee string // the linker's name for what is called
	calls  int64
}

// callers has the lines that call a function by name.
type callers map[*Function][]fromSite

// addCalls has each function know in what contexts it was entered.
func (p *Profile) addCalls() {
	known := p.callers()
	for _, f := range p.Functions() {
		f.Calls = f.callsSeen()
		if f.Entries > 0 && len(known[f]) > 0 {
			f.settleCalls(known[f])
		}
	}
}

// callers returns the lines that call functions of p by name, with how often they did.
func (p *Profile) callers() callers {
	bySymbol := make(map[string]*Function)
	for _, pkg := range p.Packages {
		for _, f := range pkg.Functions {
			bySymbol[pkg.symbol(f)] = f
		}
	}
	known := make(callers)
	for _, pkg := range p.Packages {
		for _, f := range pkg.Functions {
			for i, n := range f.CallCounts() {
				c := f.Table.Calls[i]
				name := pkg.symbolOf(pkg.Callees[c.Callee])
				if callee := bySymbol[name]; callee != nil && n > 0 {
					known.add(callee, fromSite{callSite{pkg.symbol(f), c.Line}, f, name, n * int64(1+c.More)})
				}
			}
		}
	}
	return known
}

// add adds calls of f. A line may have several.
func (k callers) add(f *Function, from fromSite) {
	list := k[f]
	if i := slices.IndexFunc(list, func(s fromSite) bool { return s.callSite == from.callSite }); i >= 0 {
		list[i].calls += from.calls
		return
	}
	k[f] = append(list, from)
}

// symbol returns the linker's name for a function of pkg.
func (pkg *Package) symbol(f *Function) string {
	if rest, ok := strings.CutPrefix(f.Table.Name, plainPath(pkg.Path)+"."); ok && pkg.Main {
		return "main." + rest
	}
	return f.Symbol()
}

// symbolOf returns the linker's name for what pkg calls.
func (pkg *Package) symbolOf(f table.Callee) string {
	if pkg.Main && f.Package == plainPath(pkg.Path) {
		return "main." + f.Name
	}
	return pgofile.EscapePath(f.Package) + "." + f.Name
}

// Symbol returns the name that the linker has for f, which is not of the program's package main: of an import path such as
// gopkg.in/yaml.v3 the linker escapes the dot.
func (f *Function) Symbol() string {
	path := plainPath(f.Package)
	if rest, ok := strings.CutPrefix(f.Table.Name, path+"."); ok {
		return pgofile.EscapePath(path) + "." + rest
	}
	return f.Table.Name
}

// plainPath returns an import path without the name of the test that the package is built for.
func plainPath(path string) string {
	path, _, _ = strings.Cut(path, " [")
	return path
}

// settleCalls has the calls of f from lines of which the number of calls is known agree with that. Their sum stays what
// it is, but for calls from lines that no stack is from.
func (f *Function) settleCalls(known []fromSite) {
	seen, sum := make(map[callSite]int64), int64(0)
	sites := make([]callSite, len(f.Calls))
	for i, c := range f.Calls {
		sites[i] = f.siteOf(c.Context)
		seen[sites[i]] += c.Count
		sum += c.Count
	}
	calls := make(map[callSite]int64)
	for _, s := range known {
		calls[s.callSite] = s.calls
	}
	weights := make([]float64, len(f.Calls))
	for i, c := range f.Calls {
		weights[i] = float64(c.Count)
		if n := calls[sites[i]]; n > 0 {
			weights[i] *= float64(n) / float64(seen[sites[i]])
		}
	}
	for _, s := range known {
		if seen[s.callSite] > 0 {
			continue
		}
		f.Calls, weights = append(f.Calls, f.callsUnseen(s)), append(weights, float64(s.calls))
		sum = min(sum+s.calls, f.Entries)
	}
	for i, n := range apportion(sum, scaled(weights)) {
		f.Calls[i].Count = n
	}
	f.Calls = slices.DeleteFunc(f.Calls, func(c Call) bool { return c.Count == 0 })
}

// siteOf returns the line that has called f in one of its contexts; none if the stack does not say.
func (f *Function) siteOf(c *Context) callSite {
	frames := c.Frames
	if c.Parent != nil {
		frames = slices.Concat(frames, c.Parent.Frames)
	}
	own := 1 + slices.IndexFunc(c.Frames, func(frame pcct.Frame) bool { return int(frame.StartLine) == f.Table.Line })
	if own = max(own, 1); own >= len(frames) {
		return callSite{}
	}
	caller := frames[own]
	return callSite{pgofile.Generic(caller.Name), int(caller.Line - caller.StartLine)}
}

// callsUnseen returns the calls of f from a line that no stack is from. They are in the context of the function that
// the line is in, if there is one only. Of several it is not known which have called, and the line may be in none of
// them.
func (f *Function) callsUnseen(from fromSite) Call {
	start := from.in.Table.Line
	frames := []pcct.Frame{
		{Name: from.callee, File: f.Table.File, StartLine: int32(f.Table.Line)},
		{Name: from.caller, File: from.in.Table.File, Line: int32(start + from.line), StartLine: int32(start)},
	}
	var seen contextSums
	for i := range from.in.Paths {
		seen.addPath(&from.in.Paths[i])
	}
	if len(seen.order) == 1 && len(seen.order[0].Frames) > 0 { // a tree that was copied while it changed may lack frames
		outer := seen.order[0]
		return Call{&Context{Parent: outer.Parent, Frames: slices.Concat(frames, outer.Frames[1:])}, from.calls}
	}
	return Call{&Context{Frames: frames}, from.calls}
}

// scaled returns weights in whole numbers, of which the sum of many fits.
func scaled(weights []float64) []uint64 {
	list := make([]uint64, len(weights))
	if len(weights) == 0 {
		return list
	}
	most := max(slices.Max(weights), math.SmallestNonzeroFloat64)
	for i, w := range weights {
		list[i] = uint64(w / most * (1 << 40))
	}
	return list
}
