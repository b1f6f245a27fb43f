// Package stacks joins the stacks that the runtime saw with the functions of a profile, and so tells who called them.
package stacks

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/pgofile"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// Stacks finds the functions of a profile by what the runtime says of them in stacks.
type Stacks struct {
	byPlace map[sourcePlace]*profile.Function
	byName  map[string]*profile.Function
	inMain  map[mainPlace]*profile.Function
}

// sourcePlace is where a function begins.
type sourcePlace struct {
	file string
	line int
}

// mainPlace is where a function of the main package begins, in a build whose root is not known. The file is "" if it
// is not known either.
type mainPlace struct {
	name, file string // without package and folder
	line       int
}

// New returns the stacks of p.
func New(p *profile.Profile) *Stacks {
	s := &Stacks{
		byPlace: make(map[sourcePlace]*profile.Function),
		byName:  make(map[string]*profile.Function),
		inMain:  make(map[mainPlace]*profile.Function),
	}
	for _, f := range p.Functions() {
		s.byName[f.Table.Name] = f
		s.byName[f.Symbol()] = f
		addOnly(s.byPlace, sourcePlace{p.BuildFilename(f), f.Table.Line}, f)
		name := strings.TrimPrefix(f.Table.Name, f.Package+".")
		addOnly(s.inMain, mainPlace{name, path.Base(f.Table.File), f.Table.Line}, f)
		addOnly(s.inMain, mainPlace{name, "", f.Table.Line}, f)
	}
	return s
}

// addOnly adds to functions that are known by something, unless it does not tell them apart.
func addOnly[K comparable](known map[K]*profile.Function, key K, f *profile.Function) {
	if _, ok := known[key]; ok {
		f = nil
	}
	known[key] = f
}

// Find returns the function of a frame, or nil if it is none of the profile's. Frames have the names of symbols. These
// have main for the main package, and the type arguments of an instance, for which path tables have [...].
func (s *Stacks) Find(f pcct.Frame) *profile.Function {
	symbol := pgofile.Generic(f.Name)
	byName, byPlace := s.byName[symbol], s.byPlace[sourcePlace{f.File, int(f.StartLine)}]
	switch {
	case byPlace != nil && (strings.Contains(symbol, ".func") || strings.Contains(symbol, "-range")):
		// The compiler numbers literals without those that it drops. Path tables have the numbers of the plain program. In the
		// instrumented one there is code that it cannot drop, so that the number may be that of another.
		return byPlace
	case byName != nil:
		return byName
	case byPlace != nil:
		return byPlace
	}
	name, ok := strings.CutPrefix(symbol, "main.")
	if !ok {
		return nil
	}
	file := path.Base(filepath.ToSlash(f.File))
	// The compiler's tables sometimes say so of a function that a probe has been inlined into.
	if strings.Contains(f.File, "/goprofinstr/rt/") {
		file = ""
	}
	return s.inMain[mainPlace{name, file, int(f.StartLine)}]
}

// Name returns the name of the function of a frame: the profile's, if it is in there.
func (s *Stacks) Name(f pcct.Frame) string {
	if fn := s.Find(f); fn != nil {
		return fn.Table.Name
	}
	return f.Name
}

// CallerFrames returns the frames outside of f in a context that one of its paths was seen in, innermost first.
func (s *Stacks) CallerFrames(f *profile.Function, c *profile.Context) []pcct.Frame {
	return c.Stack()[s.Within(f, c.Frames):]
}

// Within returns how many frames of one place are f's own, of which one of the paths has ended there.
//
// F should be the innermost. Where it has been inlined, the compiler's tables are sometimes wrong about that. (In
// go1.26.8, of two inlined calls of a function in one expression the second may seem to be its caller's own code.) But
// it is known for certain what path has ended.
func (s *Stacks) Within(f *profile.Function, frames []pcct.Frame) int {
	return 1 + slices.IndexFunc(frames, func(frame pcct.Frame) bool { return s.Find(frame) == f })
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
	for _, frame := range s.CallerFrames(f, c) {
		list = append(list, Caller{s.Name(frame), s.Find(frame), int(frame.Line)})
	}
	return list
}
