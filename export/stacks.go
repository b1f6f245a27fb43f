package export

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	pprof "github.com/google/pprof/profile"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// knownFunctions finds the functions of a profile by what the runtime says of them in stacks.
type knownFunctions struct {
	byPlace map[sourcePlace]*profile.Function
	byName  map[string]*profile.Function
	inMain  map[mainPlace]*profile.Function
}

// sourcePlace is where a function begins.
type sourcePlace struct {
	file string
	line int
}

// mainPlace is where a function of the main package begins, in a build whose root is not known. The file is "" if it is not known either.
type mainPlace struct {
	name, file string // without package and folder
	line       int
}

func newKnownFunctions(b *pprofBuilder, p *profile.Profile) *knownFunctions {
	k := &knownFunctions{make(map[sourcePlace]*profile.Function), make(map[string]*profile.Function), make(map[mainPlace]*profile.Function)}
	for _, f := range p.Functions() {
		k.byName[f.Table.Name] = f
		addOnly(k.byPlace, sourcePlace{b.filename(f), f.Table.Line}, f)
		name := strings.TrimPrefix(f.Table.Name, f.Package+".")
		addOnly(k.inMain, mainPlace{name, path.Base(f.Table.File), f.Table.Line}, f)
		addOnly(k.inMain, mainPlace{name, "", f.Table.Line}, f)
	}
	return k
}

// addOnly adds to functions that are known by something, unless it does not tell them apart.
func addOnly[K comparable](known map[K]*profile.Function, key K, f *profile.Function) {
	if _, ok := known[key]; ok {
		f = nil
	}
	known[key] = f
}

// find returns the function of a frame, or nil if it is none of the profile's. The runtime calls the main package main, and
// has [...] for type arguments.
func (k *knownFunctions) find(f pcct.Frame) *profile.Function {
	if fn := k.byName[f.Name]; fn != nil {
		return fn
	}
	if fn := k.byPlace[sourcePlace{f.File, int(f.StartLine)}]; fn != nil {
		return fn
	}
	name, ok := strings.CutPrefix(f.Name, "main.")
	if !ok {
		return nil
	}
	file := path.Base(filepath.ToSlash(f.File))
	if strings.Contains(f.File, "/goprofinstr/rt/") { // what the compiler's tables sometimes say of a function that a probe has been inlined into
		file = ""
	}
	return k.inMain[mainPlace{name, file, int(f.StartLine)}]
}

// name returns the name of the function of a frame: the profile's, if it is in there.
func (k *knownFunctions) name(f pcct.Frame) string {
	if fn := k.find(f); fn != nil {
		return fn.Table.Name
	}
	return f.Name
}

// stack returns the locations of frames, innermost first.
func (b *pprofBuilder) stack(frames []pcct.Frame) []*pprof.Location {
	var stack []*pprof.Location
	for _, f := range frames {
		if fn := b.known.find(f); fn != nil {
			stack = append(stack, b.location(fn, "", int(f.Line)))
		} else {
			stack = append(stack, b.foreign(f))
		}
	}
	return stack
}

// foreign returns the location of a frame in a function that is not in the profile.
func (b *pprofBuilder) foreign(f pcct.Frame) *pprof.Location {
	key := frame{name: f.Name, file: f.File}
	fn := b.functions[key]
	if fn == nil {
		fn = b.newFunction(f.Name, f.File, int(f.StartLine))
		b.functions[key] = fn
	}
	key.line = int(f.Line)
	return b.locationOf(key, fn)
}

// labelsOf returns the labels of the goroutines in a context as pprof has them.
func labelsOf(c *profile.Context) map[string][]string {
	labels := make(map[string][]string)
	for _, l := range c.GoroutineLabels() {
		labels[printable(l.Key)] = []string{printable(l.Value)}
	}
	return labels
}

// callers returns the frames outside of f in a context that one of its paths was seen in, innermost first.
func (k *knownFunctions) callers(f *profile.Function, c *profile.Context) []pcct.Frame {
	return c.Stack()[k.within(f, c.Frames):]
}

// within returns how many frames of one place are f's own, of which one of the paths has ended there.
//
// F should be the innermost. Where it has been inlined, the compiler's tables are sometimes wrong about that (in go1.26.8, of two inlined
// calls of a function in one expression the second may seem to be its caller's own code); but what path has ended is known for certain.
func (k *knownFunctions) within(f *profile.Function, frames []pcct.Frame) int {
	return 1 + slices.IndexFunc(frames, func(frame pcct.Frame) bool { return k.find(frame) == f })
}

// stackText returns frames as folded stacks have them, outermost first, each followed by a semicolon.
func (k *knownFunctions) stackText(frames []pcct.Frame) string {
	var b strings.Builder
	for i := len(frames) - 1; i >= 0; i-- {
		b.WriteString(strings.ReplaceAll(printable(k.name(frames[i])), ";", ",") + ";")
	}
	return b.String()
}

// Stacks tells who called the functions of a profile.
type Stacks struct{ known *knownFunctions }

// NewStacks returns the stacks of p.
func NewStacks(p *profile.Profile) *Stacks {
	return &Stacks{newKnownFunctions(newPprofBuilder(p), p)}
}

// Caller is a frame in a stack.
type Caller struct {
	Name     string
	Function *profile.Function // nil if it is not in the profile
	Line     int
}

// Callers returns the frames outside of f in a context that one of its paths was seen in, innermost first.
func (s *Stacks) Callers(f *profile.Function, c *profile.Context) []Caller {
	var list []Caller
	for _, frame := range s.known.callers(f, c) {
		list = append(list, Caller{s.known.name(frame), s.known.find(frame), int(frame.Line)})
	}
	return list
}
