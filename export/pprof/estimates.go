package pprof

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/goprofinstr/goprofinstr/export/internal/hot"
	"github.com/goprofinstr/goprofinstr/export/internal/known"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// The error of estimates is told in comments. It is not in labels: pprof draws a box for each label in its graphs. Nor does
// pprof merge samples whose labels differ, so profiles of two runs would have all of their samples twice.
//
// Comments that begin with # are shown by "pprof -comments", and not above each table of "pprof -top".

// mostEstimates is how many numbers have a comment: more than anybody reads, and a few kilobytes. JSON has them all.
const mostEstimates = 100

// comment is what is known of the error of a number.
type comment struct {
	value int64 // the largest are told
	text  func() string
}

// commentCertainty says which numbers are exact.
func (b *builder) commentCertainty() {
	exact, estimated := 0, 0
	for _, f := range b.profile.Functions() {
		switch {
		case f.Declined() || !f.Executed():
		case f.Certainty() > profile.Estimated || f.Counted && f.Missed == nil:
			exact++
		default:
			estimated++
		}
	}
	if estimated == 0 {
		return
	}
	b.comment("goprofinstr: %s of %s counted exactly, the others estimated; pprof -comments has 95%% intervals",
		show.Grouped(int64(exact)), show.Plural(exact+estimated, "function"))
	b.estimated = true
}

func (b *builder) comment(format string, args ...any) {
	b.prof.Comments = append(b.prof.Comments, show.Printable(fmt.Sprintf(format, args...)))
}

// commentEstimates says between which numbers the largest ones are, if any number of the profile is an estimate.
func (b *builder) commentEstimates(what string, list []comment) {
	if !b.estimated || len(list) == 0 {
		return
	}
	slices.SortStableFunc(list, func(x, y comment) int { return cmp.Compare(y.value, x.value) })
	shown := list[:min(len(list), mostEstimates)]
	if len(shown) < len(list) {
		what += fmt.Sprintf(", the first %d of %s; goprofinstr export -format json has all", len(shown), show.Grouped(int64(len(list))))
	}
	b.comment("# %s", what)
	for _, c := range shown {
		b.comment("# %s", c.text())
	}
}

// numberText returns "3,000, counted", or "~3,000, 700 counted; 120 samples, 95% sure: 2,000 to 4,000" of an estimate.
func numberText(e show.Estimate, estimated bool) string {
	if !estimated {
		return show.Count(e.N) + ", counted"
	}
	text := e.String()
	if e.Exact > 0 && !e.Few() { // of few the text has it
		text += fmt.Sprintf(", %s counted", show.Count(e.Exact))
	}
	return text + "; " + e.Range()
}

// pathComments are about executions of paths.
func (b *builder) pathComments() []comment {
	var list []comment
	for _, f := range b.profile.Functions() {
		for i := range f.Paths {
			p := &f.Paths[i]
			list = append(list, comment{p.Flow(), func() string {
				e, estimated := known.Estimate(f, p)
				if !estimated {
					e.N = p.Count
				}
				return fmt.Sprintf("%s {path %d}: %s", b.name(f), p.ID, numberText(e, estimated))
			}})
		}
	}
	return list
}

// edgeComments are about executions of the edges of f, which have titles by id, "" if they are not in the profile.
func (b *builder) edgeComments(f *profile.Function, titles []string) []comment {
	var list []comment
	edges := known.EdgesOf(f)
	for id, title := range titles {
		if title == "" {
			continue
		}
		list = append(list, comment{f.Edges[id], func() string {
			e, estimated := edges.Estimate(f.Edges[id], id)
			if !estimated {
				e.N = f.Edges[id]
			}
			return fmt.Sprintf("%s %s: %s", b.name(f), title, numberText(e, estimated))
		}})
	}
	return list
}

// callComments are about calls of functions, and the time that each took.
func (b *builder) callComments() []comment {
	var list []comment
	times := hot.Instrumented(b.profile)
	for _, f := range b.profile.Functions() {
		if f.Entries == 0 {
			continue
		}
		list = append(list, comment{f.Entries, func() string {
			e, estimated := known.EstimateOfCalls(f)
			return fmt.Sprintf("%s: %s%s", b.name(f), numberText(e, estimated), eachText(times[f]))
		}})
	}
	return list
}

// timeComments are about CPU time of functions.
func (b *builder) timeComments() []comment {
	var list []comment
	for _, h := range hot.ByTime(b.profile) {
		list = append(list, comment{h.Self, func() string {
			name := h.Name
			if h.Function != nil {
				name = b.name(h.Function)
			}
			self, cum := show.Round(time.Duration(h.Self)), show.Round(time.Duration(h.Cum))
			return fmt.Sprintf("%s: itself %v by %s, with what it calls %v by %s%s", name,
				self, show.Plural(int(h.SelfTicks), "tick"), cum, show.Plural(int(h.Ticks), "tick"), eachText(h))
		}})
	}
	return list
}

// eachText returns "; ~90ms a call by 120 ticks, 95% sure: 85ms–95ms", "" if it is not known how long calls of a function took.
func eachText(h *hot.Function) string {
	if h == nil || h.Function == nil {
		return ""
	}
	each := known.Each(h.Function, h.Cum, h.Ticks)
	interval := known.EachInterval(h.Function, h.Cum, h.Ticks)
	if interval == "" {
		return ""
	}
	return fmt.Sprintf("; %s a call by %s, 95%% sure: %s", each, show.Plural(int(h.Ticks), "tick"), interval)
}
