package hot

import (
	"cmp"
	"maps"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/internal/stacks"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// Function is what calling contexts tell of a function: PCCT section 6.5.
type Function struct {
	Name      string
	Function  *profile.Function // nil if it is not instrumented
	Self, Cum int64             // CPU time in it, and in what it called as well, ns
	Ticks     int64             // that Cum rests on
	SelfTicks int64             // that Self does
	Calls     int64             // -1 if it is not instrumented

	// CPU time of samples that had an activation of it, where it is not inlined, and of those that found it new. It is
	// there once for each activation on the stack.
	seen, new int64
}

// ByTime returns the functions in which CPU time was spent, those in which most was first.
func ByTime(p *profile.Profile) []*Function {
	var list []*Function
	for _, h := range collect(p) {
		if h.Self > 0 {
			list = append(list, h)
		}
	}
	slices.SortFunc(list, func(a, b *Function) int {
		return cmp.Or(cmp.Compare(b.Self, a.Self), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// All returns the functions of ByTime, and behind them the instrumented functions that spent no time but in what they called.
func All(p *profile.Profile) []*Function {
	list := ByTime(p)
	for _, h := range ByCum(p) {
		if h.Self == 0 {
			list = append(list, h)
		}
	}
	return list
}

// ByCum returns the instrumented functions in which CPU time was spent, or in what they called, those in which most was
// first.
func ByCum(p *profile.Profile) []*Function {
	list := slices.Collect(maps.Values(Instrumented(p)))
	slices.SortFunc(list, func(a, b *Function) int {
		return cmp.Or(cmp.Compare(b.Cum, a.Cum), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// Instrumented returns the instrumented functions in which CPU time was spent, or in what they called.
func Instrumented(p *profile.Profile) map[*profile.Function]*Function {
	found := make(map[*profile.Function]*Function)
	for _, h := range collect(p) {
		if h.Function != nil && h.Cum > 0 {
			found[h.Function] = h
		}
	}
	return found
}

// PerCall returns the CPU time of a call with all that it calls, in ns, and its interval; nil if it is not known.
func (h *Function) PerCall() *profile.Ratio {
	if h.Function == nil {
		return nil
	}
	return h.Function.CallsNumber().PerCall(h.Cum, h.Ticks)
}

// calls returns how often a function was called, as far as it is known.
func calls(f *profile.Function) int64 {
	if n := f.CallsNumber(); n != nil {
		return n.Estimate
	}
	return f.Entries
}

// collect returns what contexts tell of functions, by name.
func collect(p *profile.Profile) map[string]*Function {
	known := stacks.New(p)
	all := make(map[string]*Function)
	find := func(c *profile.Context, i int) *Function {
		h := Function{Name: known.Name(c.Frames[i]), Calls: -1}
		if fn := known.Find(c.Frames[i]); fn != nil {
			h.Function, h.Calls = fn, calls(fn)
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
		once := make(map[*Function]bool)
		for at := c; at != nil; at = at.Parent {
			for i := range at.Frames {
				h := find(at, i)
				if !once[h] {
					h.Cum, h.Ticks = h.Cum+c.Time, h.Ticks+c.Samples
				}
				if len(once) == 0 {
					h.Self, h.SelfTicks = h.Self+c.Time, h.SelfTicks+c.Samples
				}
				once[h] = true
				if i == len(at.Frames)-1 {
					h.seen += c.Time
				}
			}
		}
	}
	return all
}

// NewShare returns the CPU time of samples that had an activation of h, where it is not inlined. It also returns how
// much of it was in samples that found the activation new.
func (h *Function) NewShare() (new, seen int64) { return h.new, h.seen }
