package export

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/goprofinstr/goprofinstr/export/profile"
)

// hotFunction is what calling contexts tell of a function: PCCT section 6.5.
type hotFunction struct {
	name      string
	self, cum int64 // CPU time in it, and in what it called as well, ns
	calls     int64 // -1 if it is not instrumented

	// CPU time of samples that had an activation of it, where it is not inlined, and of those that found it new; once for each
	// activation on the stack.
	seen, new int64
}

// hotFunctions returns the functions in which CPU time was spent, those in which most was first.
func hotFunctions(p *profile.Profile) []*hotFunction {
	known := newKnownFunctions(newPprofBuilder(p), p)
	all := make(map[string]*hotFunction)
	find := func(c *profile.Context, i int) *hotFunction {
		h := hotFunction{name: known.name(c.Frames[i]), calls: -1}
		if fn := known.find(c.Frames[i]); fn != nil {
			h.calls = fn.Entries
		}
		if all[h.name] == nil {
			all[h.name] = &h
		}
		return all[h.name]
	}
	for _, c := range p.Contexts {
		if n := len(c.Frames); n > 0 {
			find(c, n-1).new += c.New
		}
		if c.Time == 0 {
			continue
		}
		once := make(map[*hotFunction]bool)
		for at := c; at != nil; at = at.Parent {
			for i := range at.Frames {
				h := find(at, i)
				if !once[h] {
					h.cum += c.Time
				}
				if len(once) == 0 {
					h.self += c.Time
				}
				once[h] = true
				if i == len(at.Frames)-1 {
					h.seen += c.Time
				}
			}
		}
	}
	var list []*hotFunction
	for _, h := range all {
		if h.self > 0 {
			list = append(list, h)
		}
	}
	slices.SortFunc(list, func(a, b *hotFunction) int { return cmp.Or(cmp.Compare(b.self, a.self), cmp.Compare(a.name, b.name)) })
	return list
}

// writeHotFunctions writes the functions in which most CPU time was spent, if there is anything known of that.
func writeHotFunctions(w io.Writer, p *profile.Profile, top int) {
	hot := hotFunctions(p)
	if len(hot) == 0 || top <= 0 {
		return
	}
	total := int64(0)
	for _, h := range hot {
		total += h.self
	}
	fmt.Fprintf(w, "\nHottest functions by CPU time, of %v\n\n", roundTime(time.Duration(total)))
	calls := len("calls")
	for _, h := range hot[:min(top, len(hot))] {
		calls = max(calls, len(countText(h.calls)))
	}
	fmt.Fprintf(w, "  self     cum  %s     each    new  function\n", padLeft("calls", calls))
	for _, h := range hot[:min(top, len(hot))] {
		count, each := "", ""
		if h.calls > 0 {
			count, each = countText(h.calls), roundTime(time.Duration(h.cum/h.calls)).String()
		}
		row := fmt.Sprintf("%s  %s  %s  %s  %s  ", padLeft(percent(h.self, total), 6), padLeft(percent(h.cum, total), 6), padLeft(count, calls), padLeft(each, 7), padLeft(newText(h), 5))
		fmt.Fprintf(w, "%s%s\n", row, shortenLeft(printable(h.name), width-len(row)))
	}
	fmt.Fprintf(w, "\neach is the time of a call with all that it calls; new is how much of its time was in\ncalls that the sample before had not seen: little in those that run for long\n")
}

// newText returns the share of samples that found h's activation new, "" if it is always inlined.
func newText(h *hotFunction) string {
	if h.seen == 0 {
		return ""
	}
	return percent(h.new, h.seen)
}
