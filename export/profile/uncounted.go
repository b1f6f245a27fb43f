package profile

import (
	"github.com/goprofinstr/goprofinstr/rt/copies"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

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
