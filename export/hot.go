package export

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/goprofinstr/goprofinstr/export/internal/show"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// HotFunction is what calling contexts tell of a function: PCCT section 6.5.
type HotFunction struct {
	Name      string
	Function  *profile.Function // nil if it is not instrumented
	Self, Cum int64             // CPU time in it, and in what it called as well, ns
	Calls     int64             // -1 if it is not instrumented

	// CPU time of samples that had an activation of it, where it is not inlined, and of those that found it new; once for each
	// activation on the stack.
	seen, new int64
}

// HotFunctions returns the functions in which CPU time was spent, those in which most was first.
func HotFunctions(p *profile.Profile) []*HotFunction {
	known := newKnownFunctions(newPprofBuilder(p), p)
	all := make(map[string]*HotFunction)
	find := func(c *profile.Context, i int) *HotFunction {
		h := HotFunction{Name: known.name(c.Frames[i]), Calls: -1}
		if fn := known.find(c.Frames[i]); fn != nil {
			h.Function, h.Calls = fn, fn.Entries
		}
		if all[h.Name] == nil {
			all[h.Name] = &h
		}
		return all[h.Name]
	}
	for _, c := range p.Contexts {
		if n := len(c.Frames); n > 0 {
			find(c, n-1).new += c.New
		}
		if c.Time == 0 {
			continue
		}
		once := make(map[*HotFunction]bool)
		for at := c; at != nil; at = at.Parent {
			for i := range at.Frames {
				h := find(at, i)
				if !once[h] {
					h.Cum += c.Time
				}
				if len(once) == 0 {
					h.Self += c.Time
				}
				once[h] = true
				if i == len(at.Frames)-1 {
					h.seen += c.Time
				}
			}
		}
	}
	var list []*HotFunction
	for _, h := range all {
		if h.Self > 0 {
			list = append(list, h)
		}
	}
	slices.SortFunc(list, func(a, b *HotFunction) int { return cmp.Or(cmp.Compare(b.Self, a.Self), cmp.Compare(a.Name, b.Name)) })
	return list
}

// writeHotFunctions writes the functions in which most CPU time was spent, if there is anything known of that.
func writeHotFunctions(w io.Writer, p *profile.Profile, top int) {
	hot := HotFunctions(p)
	if len(hot) == 0 || top <= 0 {
		return
	}
	total := int64(0)
	for _, h := range hot {
		total += h.Self
	}
	fmt.Fprintf(w, "\nHottest functions by CPU time, of %v\n\n", show.Round(time.Duration(total)))
	calls := len("calls")
	for _, h := range hot[:min(top, len(hot))] {
		calls = max(calls, len(countText(h.Calls)))
	}
	fmt.Fprintf(w, "  self     cum  %s     each    new  function\n", padLeft("calls", calls))
	for _, h := range hot[:min(top, len(hot))] {
		count, each := "", ""
		if h.Calls > 0 {
			count, each = countText(h.Calls), show.Round(time.Duration(h.Cum/h.Calls)).String()
		}
		row := fmt.Sprintf("%s  %s  %s  %s  %s  ", padLeft(percent(h.Self, total), 6), padLeft(percent(h.Cum, total), 6), padLeft(count, calls), padLeft(each, 7), padLeft(newText(h), 5))
		fmt.Fprintf(w, "%s%s\n", row, shortenLeft(printable(h.Name), width-len(row)))
	}
	fmt.Fprintf(w, "\neach is the time of a call with all that it calls; new is how much of its time was in\ncalls that the sample before had not seen: little in those that run for long\n")
}

// newText returns the share of samples that found h's activation new, "" if it is always inlined.
func newText(h *HotFunction) string {
	if h.seen == 0 {
		return ""
	}
	return percent(h.new, h.seen)
}
