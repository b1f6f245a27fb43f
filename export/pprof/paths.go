package pprof

import (
	"fmt"
	"io"
	"strings"

	google "github.com/google/pprof/profile"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// WritePaths writes a gzipped pprof profile with a sample for each executed path. The
// values are path_execs and flow (the default). The leaf frame is "pkg.Func {path 3: i <
// n true → return}" called by pkg.Func, both at the line where the path starts. Labels:
// path, the lines in full; path_id; branches. If the goroutine has a label called path, its value is behind the lines.
//
// Where calling contexts are known there is a sample for each context that a path was seen in. It has the callers and
// the goroutine's labels, and a third value, the CPU time spent on the path. What was seen in contexts that have been
// forgotten is in a sample without callers.
func WritePaths(w io.Writer, p *profile.Profile) error {
	b := newBuilder(p, "path_execs", "flow")
	b.prof.DefaultSampleType = "flow"
	if len(p.Contexts) > 0 {
		b.addTime()
	}
	for _, f := range p.Functions() {
		for i := range f.Paths {
			b.pathSamples(f, &f.Paths[i])
		}
	}
	b.commentEstimates("executions of paths, by flow", b.pathComments())
	return b.write(w)
}

// pathSamples adds the samples of a path.
func (b *builder) pathSamples(f *profile.Function, path *profile.Path) {
	title, lines, line := b.title(f, path), f.LineText(path), f.Lines(path)[0]
	add := func(count, time int64, labels map[string][]string, callers []*google.Location) {
		labels["path"] = append([]string{lines}, labels["path"]...) // goroutines may have a label of this name, too
		values := []int64{count, count * int64(path.Branches), time}
		b.prof.Sample = append(b.prof.Sample, &google.Sample{
			Location: append([]*google.Location{b.location(f, " "+title, line), b.location(f, "", line)}, callers...),
			Value:    values[:len(b.prof.SampleType)],
			Label:    labels,
			NumLabel: map[string][]int64{"path_id": {int64(path.ID)}, "branches": {int64(path.Branches)}},
			NumUnit:  map[string][]string{"path_id": {"id"}, "branches": {"count"}},
		})
	}
	rest, restTime := path.Count, path.Time
	for _, c := range path.Contexts {
		add(c.Count, c.Time, labelsOf(c.Context), b.stack(b.known.CallerFrames(f, c.Context)))
		rest, restTime = rest-c.Count, restTime-c.Time
	}
	if rest > 0 || restTime > 0 { // of contexts that have been forgotten
		add(rest, restTime, make(map[string][]string), nil)
	}
}

// mostTitle is how many runes of what happens on a path its frame has. The number of the path tells it from others.
const mostTitle = 80

// title returns "{path 3: for i < n → s[i] == '"' true → return}". Where there is no source it returns the path by its lines.
func (b *builder) title(f *profile.Function, path *profile.Path) string {
	text := b.texts.Of(f)
	if !text.HasSource() {
		return f.Title(path)
	}
	steps := show.ShortenRight(strings.Join(text.Path(path), " → "), mostTitle)
	return fmt.Sprintf("{path %d: %s}", path.ID, show.Printable(steps))
}
