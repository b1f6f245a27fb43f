package report

import (
	"fmt"
	"io"
	"time"

	"github.com/goprofinstr/goprofinstr/export/internal/hot"
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
	calls := len("calls")
	for _, h := range list[:min(top, len(list))] {
		calls = max(calls, len(show.Count(h.Calls)))
	}
	fmt.Fprintf(w, "  self     cum  %s     each    new  function\n", show.PadLeft("calls", calls))
	for _, h := range list[:min(top, len(list))] {
		count, each := "", ""
		if h.Calls > 0 {
			count, each = show.Count(h.Calls), show.Round(time.Duration(h.Cum/h.Calls)).String()
		}
		self, cum := show.Percent(h.Self, total), show.Percent(h.Cum, total)
		row := fmt.Sprintf("%s  %s  %s  %s  %s  ", show.PadLeft(self, 6), show.PadLeft(cum, 6),
			show.PadLeft(count, calls), show.PadLeft(each, 7), show.PadLeft(newText(h), 5))
		fmt.Fprintf(w, "%s%s\n", row, show.ShortenLeft(show.Printable(h.Name), show.Width-len(row)))
	}
	fmt.Fprint(w, "\neach is the time of a call with all that it calls; new is how much of its time was in\n"+
		"calls that the sample before had not seen: little in those that run for long\n")
}

// newText returns the share of samples that found h's activation new, "" if it is always inlined.
func newText(h *hot.Function) string {
	isNew, seen := h.NewShare()
	if seen == 0 {
		return ""
	}
	return show.Percent(isNew, seen)
}
