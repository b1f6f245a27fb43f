package profile

import (
	"fmt"
	"slices"

	"github.com/goprofinstr/goprofinstr/internal/show"
	"github.com/goprofinstr/goprofinstr/rt/copies"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// Where paths are counted as long as they are rare, it may be known of what was not seen that it did not happen. This is so
// though the profile is a sampled one. An edge was not taken if
//
//   - no path that leads over it may have ended at a site that was ever sampled,
//   - all path ends were counted that were not: the process exited by itself, and no count was lost for want of room, and
//   - no activation of the function was abandoned on the way: the runtime notes which functions are on stacks that
//     nothing will return to.

// settle sets Unsettled of all functions, given what is damaged.
func (p *Profile) settle() {
	unsettled := p.unsettled()
	for _, f := range p.Functions() {
		if f.Declined() || f.Certainty() >= Whether {
			continue
		}
		f.Unsettled = unsettled
		switch {
		case unsettled != "":
		case f.Table.Cut == 0:
			f.Unsettled = "it is not known which of its activations were abandoned"
		case f.Cut > 0:
			f.Unsettled = show.Plural(int(f.Cut), "activation") + " of it may have been abandoned"
		}
	}
}

// Unsettled says why of no function is known what was not executed, "" if there is no reason.
func (p *Profile) Unsettled() string {
	for _, f := range p.Functions() {
		if !f.Declined() && f.Certainty() < Whether {
			return p.unsettled()
		}
	}
	return ""
}

// unsettled is Unsettled where paths were sampled.
func (p *Profile) unsettled() string {
	if len(p.Runs) == 0 {
		return "nothing ran"
	}
	for i := range p.Runs {
		if why := p.Runs[i].unsettled(); why != "" {
			return fmt.Sprintf("%s, in the run of pid %d", why, p.Runs[i].Pid)
		}
	}
	if slices.ContainsFunc(p.Damaged, func(d Damage) bool { return d.Part != ManifestFile && d.Part != Contexts }) {
		return "a part of the profile cannot be read"
	}
	return ""
}

func (r *Run) unsettled() string {
	switch s := r.Sampling; {
	case s == nil || !s.Counted:
		return "paths were sampled from the start"
	case !s.CountedAll:
		return "the process was killed, or is running"
	case r.Lost > 0:
		return "there was no room for all counts"
	case s.Left > 0:
		return show.Plural(int(s.Left), "probe") + " of another shape than others never fired"
	}
	return ""
}

// Knower returns what tells of an edge of f that was not seen whether it is known that it was not taken.
func (f *Function) Knower() func(edge int) bool {
	missed := f.mayMiss()
	return func(edge int) bool { return f.known(missed, []int{edge}) }
}

func (f *Function) known(missed *missed, edges []int) bool {
	if f.Certainty() >= Whether {
		return true
	}
	return f.Unsettled == "" && !slices.ContainsFunc(edges, missed.through)
}

// KnownBlocks tells for each block of f whether it is known, if it was not seen, that it was not executed.
func (f *Function) KnownBlocks() []bool {
	missed := f.mayMiss()
	known := make([]bool, len(f.Table.Blocks))
	for id := range known {
		known[id] = f.Certainty() >= Whether || f.Unsettled == ""
	}
	if known[f.Table.Entry] && f.Certainty() < Whether {
		known[f.Table.Entry] = !missed.from(f.Table.Entry)
	}
	for i, e := range f.Table.Edges {
		known[e.To] = known[e.To] && f.known(missed, []int{i})
	}
	return known
}

// KnowsAll reports whether everything is known of f that was not executed, and KnowsCounts whether it is known how often
// everything was.
func (f *Function) KnowsAll() bool { return f.Certainty() >= Whether || f.KnowsCounts() }

// KnowsCounts is described at KnowsAll.
func (f *Function) KnowsCounts() bool {
	return f.Certainty() >= HowOften || f.Unsettled == "" && f.Counted && f.Missed == nil
}

// Where copies of machine code count, they count some functions in no run. Nothing is known of these: they are not among what was
// never executed.

// uncounted notes in how many runs functions are not counted.
type uncounted struct {
	list []rundata.Uncounted
	runs map[string]int // that have a package
}

// add adds a run.
func (u *uncounted) add(r *rundata.Run) {
	if u.runs == nil {
		u.runs = make(map[string]int)
	}
	u.list = append(u.list, r.Uncounted...)
	for _, p := range r.Packages {
		u.runs[p.Path]++
	}
}

// set sets Uncounted of the functions that no run counts, to the reason of the last.
func (u *uncounted) set(p *Profile) {
	if len(u.list) == 0 {
		return
	}
	c, times := newCounters(p.Functions()), make(map[*Function]int)
	for _, at := range u.list {
		f, _ := c.find(at.PathAt)
		if f == nil {
			continue
		}
		if times[f]++; times[f] == u.runs[f.Package] {
			f.Uncounted = whyUncounted(at.Reason)
		}
	}
}

// whyUncounted returns the words for a reason.
func whyUncounted(reason int) string {
	switch reason {
	case copies.Unmapped:
		return "machine code does not tell its paths"
	case copies.Uncopied:
		return "its machine code cannot be copied"
	case copies.NoCode:
		return "the program has no code of it"
	}
	return "goprofinstr has failed at it"
}
