package pprof

import (
	"compress/gzip"
	"io"
	"strings"

	google "github.com/google/pprof/profile"

	"github.com/goprofinstr/goprofinstr/export/internal/about"
	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/internal/stacks"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// builder makes the functions and locations of a pprof profile, each once.
//
// Samples must give their num-labels a unit. The decoder of package profile drops labels of value 0 without a unit, and path 0 is
// a path.
//
// Addresses are left 0: there are none, and pprof gives locations without
// address made-up ones where it needs them (its source view).
type builder struct {
	prof      *google.Profile
	profile   *profile.Profile
	known     *stacks.Stacks
	texts     *code.Texts
	main      string // import path of the package that the runtime calls main, "" if there is none
	functions map[frame]*google.Function
	locations map[frame]*google.Location
	estimated bool // numbers of some function are estimates
	instances bool // stacks have the instances of generic functions
}

// frame identifies a function, or with a line a location. The table, not
// the name, tells functions apart: a file may have several called init. Functions that are not in the profile
// have no table.
type frame struct {
	function   *table.Function
	suffix     string
	name, file string
	line       int // 0 for the function itself
}

// newBuilder starts a profile with values of unit count.
func newBuilder(p *profile.Profile, sampleTypes ...string) *builder {
	b := &builder{
		prof: &google.Profile{
			// The mapping tells pprof that nothing is left to symbolize.
			Mapping: []*google.Mapping{{
				ID: 1, File: show.Printable(about.Program(p)),
				HasFunctions: true, HasFilenames: true, HasLineNumbers: true,
			}},
			Comments: []string{"goprofinstr: " + p.Mode() + " counts of " + show.Plural(len(p.Runs), "run")},
		},
		profile:   p,
		functions: make(map[frame]*google.Function),
		locations: make(map[frame]*google.Location),
	}
	if account := p.Account(); account != "" {
		b.prof.Comments = append(b.prof.Comments, "goprofinstr: "+account)
	}
	b.commentCertainty()
	for _, t := range sampleTypes {
		b.prof.SampleType = append(b.prof.SampleType, &google.ValueType{Type: t, Unit: "count"})
	}
	if len(p.Runs) > 0 && !p.Runs[0].Start.IsZero() {
		b.prof.TimeNanos = p.Runs[0].Start.UnixNano()
	}
	b.known = stacks.New(p)
	b.texts = code.New(p)
	if !about.Tests(p) { // a test binary has it by its import path
		b.main = p.Main()
	}
	return b
}

// addTime adds CPU time to the sample types.
func (b *builder) addTime() {
	b.prof.SampleType = append(b.prof.SampleType, &google.ValueType{Type: "time", Unit: "nanoseconds"})
}

// location returns the location of a line in the frame called as f plus suffix.
func (b *builder) location(f *profile.Function, suffix string, line int) *google.Location {
	return b.locationOf(frame{function: f.Table, suffix: suffix, line: line}, b.function(f, suffix))
}

func (b *builder) locationOf(key frame, fn *google.Function) *google.Location {
	loc := b.locations[key]
	if loc == nil {
		loc = &google.Location{
			ID:      uint64(len(b.prof.Location) + 1),
			Mapping: b.prof.Mapping[0],
			Line:    []google.Line{{Function: fn, Line: int64(key.line)}},
		}
		b.locations[key] = loc
		b.prof.Location = append(b.prof.Location, loc)
	}
	return loc
}

func (b *builder) function(f *profile.Function, suffix string) *google.Function {
	key := frame{function: f.Table, suffix: suffix}
	fn := b.functions[key]
	if fn == nil {
		fn = b.newFunction(b.name(f)+suffix, b.file(f), f.Table.Line)
		b.functions[key] = fn
	}
	return fn
}

// file returns the name of the file of a function. Where it is another one now, pprof shall not find it.
func (b *builder) file(f *profile.Function) string {
	if b.profile.Changed[f.Table.File] {
		return f.Table.File
	}
	return b.profile.Filename(f)
}

// name returns what runtime/pprof calls a function, so that profiles of both can be compared. A generic function is all of its
// instances, which runtime/pprof tells apart.
func (b *builder) name(f *profile.Function) string {
	if rest, ok := strings.CutPrefix(f.Table.Name, f.Package+"."); ok && f.Package == b.main {
		return "main." + rest
	}
	return f.Symbol()
}

func (b *builder) newFunction(name, file string, line int) *google.Function {
	name = show.Printable(name)
	fn := &google.Function{
		ID:         uint64(len(b.prof.Function) + 1),
		Name:       name,
		SystemName: name,
		Filename:   show.Printable(file),
		StartLine:  int64(line),
	}
	b.prof.Function = append(b.prof.Function, fn)
	return fn
}

func (b *builder) write(w io.Writer) error {
	if err := b.prof.CheckValid(); err != nil {
		panic("BUG: invalid pprof profile: " + err.Error())
	}
	// The user waits for these files after each run. Compression takes a fifth of the time that Profile.Write takes for it, and
	// the file a sixth more space.
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	if err := b.prof.WriteUncompressed(z); err != nil {
		return err
	}
	return z.Close()
}

// stack returns the locations of frames, innermost first.
func (b *builder) stack(frames []pcct.Frame) []*google.Location {
	var stack []*google.Location
	for _, f := range frames {
		fn := b.known.Find(f)
		if fn == nil || b.instances && strings.Contains(f.Name, "[") {
			stack = append(stack, b.foreign(f))
		} else {
			stack = append(stack, b.location(fn, "", int(f.Line)))
		}
	}
	return stack
}

// foreign returns the location of a frame by what the runtime says of it: of a function that is not in the profile, or of an
// instance of one that is.
func (b *builder) foreign(f pcct.Frame) *google.Location {
	key := frame{name: f.Name, file: f.File}
	fn := b.functions[key]
	if fn == nil {
		fn = b.newFunction(f.Name, b.profile.Here(f.File), int(f.StartLine))
		b.functions[key] = fn
	}
	key.line = int(f.Line)
	return b.locationOf(key, fn)
}

// labelsOf returns the labels of the goroutines in a context as pprof has them.
func labelsOf(c *profile.Context) map[string][]string {
	labels := make(map[string][]string)
	for _, l := range c.GoroutineLabels() {
		labels[show.Printable(l.Key)] = []string{show.Printable(l.Value)}
	}
	return labels
}
