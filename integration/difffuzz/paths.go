package difffuzz

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// paths compares the paths of every function with those of its activations' walks.
func (j *judge) paths() {
	for _, f := range j.functions {
		acts := j.activations[f]
		if f.Declined() || len(acts) == 0 {
			continue
		}
		w := j.newWalker(f, acts)
		if f.Abandoned > 0 {
			j.figures.Abandoned++
			w.executed(acts)
			continue
		}
		d, err := decoder(f.Table)
		if err != nil {
			j.fail("paths", f, "%v", err)
			continue
		}
		counts, problem := w.decide(d, acts)
		if problem != "" && w.operandsUnsure() {
			w.leaveOutOperands()
			counts, problem = w.decide(d, acts)
		}
		switch {
		case problem != "":
			j.fail("paths", f, "%s", problem)
		case w.undecided:
			w.choose(acts)
		default:
			w.compare(acts, counts)
			w.comparePairs(acts)
		}
	}
}

// compare holds the counts of paths that acts have against the profile's.
func (w *walker) compare(acts [][]event, counts map[uint64]int64) {
	if text := difference(w, w.f, counts); text != "" {
		w.j.fail("paths", w.f, "%s", text)
		return
	}
	figures := &w.j.figures
	figures.Compared++
	figures.Activations += int64(len(acts))
	figures.Paths += int64(len(counts))
	for _, n := range counts {
		figures.PathExecs += n
	}
	if w.f.Table.Storage == table.StorageHash {
		figures.Hashed++
	}
}

// decide returns how often each path is executed by acts, or what is wrong, trying what may make
// undecided walks certain and wrong ones right.
func (w *walker) decide(d *pathnum.Decoder, acts [][]event) (counts map[uint64]int64, problem string) {
	counts, problem = w.count(d, acts)
	if problem == "" && w.undecided {
		// If the profile is right, no walk takes an edge that has no count in it.
		w.counted = true
		counts, problem = w.count(d, acts)
		if problem == "" && !w.undecided {
			w.j.figures.Helped++
		}
	}
	for n := 1; problem != "" || !w.undecided && difference(w, w.f, counts) != ""; n++ {
		if !w.reassign(n) {
			break
		}
		if c, p := w.count(d, acts); p == "" && (w.undecided || difference(w, w.f, c) == "") {
			w.j.figures.LinesShared++
			return c, p
		}
	}
	return counts, problem
}

func decoder(t *table.Function) (*pathnum.Decoder, error) {
	edges, cut := make([]pathnum.Edge, len(t.Edges)), make([]bool, len(t.Edges))
	for i, e := range t.Edges {
		edges[i], cut[i] = pathnum.Edge{From: e.From, To: e.To}, e.Back
	}
	return pathnum.NewDecoder(len(t.Blocks), t.Entry, t.Exit, edges, cut, t.Values)
}

// difference describes the first difference between the profile's paths and
// the counts that should be there.
func difference(w *walker, f *profile.Function, want map[uint64]int64) string {
	got := make(map[uint64]int64)
	for _, p := range f.Paths {
		got[p.ID] = p.Count
	}
	var ids []uint64
	for id := range want {
		ids = append(ids, id)
	}
	for id := range got {
		if _, ok := want[id]; !ok {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	var text []string
	for _, id := range ids {
		if got[id] != want[id] {
			path, _ := w.decoder.Path(id)
			var blocks []string
			blocks = append(blocks, fmt.Sprint(path.Start))
			for _, e := range path.Edges {
				to := f.Table.Edges[e].To
				blocks = append(blocks, fmt.Sprintf("%d(:%d)", to, f.Table.Blocks[to].Line))
			}
			text = append(text, fmt.Sprintf("path %d counted %d times, want %d: %s", id, got[id], want[id],
				strings.Join(blocks, " ")))
		}
	}
	if len(text) > 6 {
		text = append(text[:6], "…")
	}
	return strings.Join(text, "\n\t")
}
