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

// writeHotFunctions writes the functions in which most CPU time was spent, if there is anything known of that.
func writeHotFunctions(w io.Writer, p *profile.Profile, top int) {
	list := hot.ByTime(p)
	if len(list) == 0 || top <= 0 {
		return
	}
	total := int64(0)
	for _, h := range list {
		total += h.Self
	}
	fmt.Fprintf(w, "\nHottest functions by CPU time, of %v\n\n", show.Round(time.Duration(total)))
	table := show.Table{Left: 1, Fit: show.Width}
	table.Row("function", "self", "cum", "ticks", "calls", "each", "95% interval", "new")
	for _, h := range list[:min(top, len(list))] {
		count, each, interval := "", "", ""
		if h.Calls > 0 {
			count, each = known.Calls(h.Function), known.Each(h.Function, h.Cum, h.Ticks)
			interval = known.EachInterval(h.Function, h.Cum, h.Ticks)
		}
		self, cum := show.Share(h.Self, total, h.SelfTicks), show.Share(h.Cum, total, h.Ticks)
		table.Row(show.Printable(h.Name), self, cum, show.Count(h.Ticks), count, each, interval, newText(h))
	}
	table.Write(w)
	fmt.Fprint(w, "\n", show.Paragraph("ticks are what the times in cum and each rest on; each is the time of a call with all that it calls; new is how much of "+
		"its time was in calls that the sample before had not seen: little in those that run for long", ""))
}

// newText returns the share of samples that found h's activation new, "" if it is always inlined.
func newText(h *hot.Function) string {
	isNew, seen := h.NewShare()
	if seen == 0 {
		return ""
	}
	return show.Percent(isNew, seen)
}
