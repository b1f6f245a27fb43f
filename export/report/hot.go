package report

import (
	"fmt"
	"io"
	"time"

	"github.com/goprofinstr/goprofinstr/export/internal/hot"
	"github.com/goprofinstr/goprofinstr/export/internal/known"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// writeHotFunctions writes in which functions CPU time was spent, if anything is known of that. First come those that
// are instrumented, with all that they call: the handler that takes the time may spend none itself. Then come any
// functions.
func writeHotFunctions(w io.Writer, p *profile.Profile, top int) {
	all := hot.ByTime(p)
	if len(all) == 0 || top <= 0 {
		return
	}
	total := int64(0)
	for _, h := range all {
		total += h.Self
	}
	if list := hot.ByCum(p); len(list) > 0 {
		writeCalled(w, list[:min(top, len(list))], total)
	}
	fmt.Fprintf(w, "\nHottest functions by CPU time, of %v\n\n", show.Round(time.Duration(total)))
	table := show.Table{Left: 1, Fit: show.Width}
	table.Row("function", "self", "cum", "ticks", "new")
	shown := hotEnough(all)
	for _, h := range shown[:min(top, len(shown))] {
		self, cum := show.Share(h.Self, total, h.SelfTicks), show.Share(h.Cum, total, h.Ticks)
		table.Row(show.Printable(h.Name), self, cum, show.Count(h.Ticks), newText(h))
	}
	table.Write(w)
	if n := len(all) - min(top, len(shown)); n > 0 {
		fmt.Fprintf(w, "and %s more\n", show.Grouped(int64(n)))
	}
	fmt.Fprint(w, "\n", show.Paragraph("cum is with all that a function calls; ticks are what the times in cum and each "+
		"rest on; each is the time of a call in cum; new is how much of a function's time was in calls that the sample "+
		"before had not seen: little in those that run for long", ""))
}

// hotEnough returns the functions of which enough ticks tell for a number, or the first few if there are none: long
// lists of ? would hide them.
func hotEnough(all []*hot.Function) []*hot.Function {
	var list []*hot.Function
	for _, h := range all {
		if h.Ticks >= show.LeastSamples {
			list = append(list, h)
		}
	}
	if len(list) == 0 {
		return all[:min(3, len(all))]
	}
	return list
}

// writeCalled writes what time functions take with all that they call, and each call of them.
func writeCalled(w io.Writer, list []*hot.Function, total int64) {
	fmt.Fprintf(w, "\nInstrumented functions by CPU time, with all that they call, of %v\n\n",
		show.Round(time.Duration(total)))
	table := show.Table{Left: 1, Fit: show.Width}
	table.Row("function", "cum", "ticks", "calls", "each", "95% interval")
	for _, h := range list {
		count, each, interval := "", "", ""
		if h.Calls > 0 {
			count, each = known.Calls(h.Function), known.Each(h.Function, h.Cum, h.Ticks)
			interval = known.EachInterval(h.Function, h.Cum, h.Ticks)
		}
		name := show.Short(h.Function.Table.Name, h.Function.Package)
		table.Row(name, show.Share(h.Cum, total, h.Ticks), show.Count(h.Ticks), count, each, interval)
	}
	table.Write(w)
}

// newText returns the share of samples that found h's activation new, "" if it is always inlined.
func newText(h *hot.Function) string {
	isNew, seen := h.NewShare()
	if seen == 0 {
		return ""
	}
	return show.Percent(isNew, seen)
}
