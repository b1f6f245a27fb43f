package profiletest

import (
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// Counted makes r a run that counted paths where they rarely end, and sampled them in windows elsewhere.
func (r *Run) Counted() *rundata.Sampling {
	if r.data.Sampling == nil {
		r.data.Sampling = &rundata.Sampling{Counted: true, CountedAll: true}
		r.data.Exit = rundata.ExitMain
	}
	return r.data.Sampling
}

// Count records that the path along edges was counted so many times.
func (r *Run) Count(name string, times uint64, edges ...int) {
	at := r.pathAt(name, edges)
	at.Package.Counters[2*at.Number] += times
	r.Counted().CountedEnds += times
}

// Seen records that window n, of a level, saw path ends of the path along edges while the site had a level. Each stands for
// so many.
func (r *Run) Seen(name string, of, level, n int, ends uint64, stands float64, edges ...int) {
	r.seen(r.pathAt(name, edges), of, level, n, ends, stands)
}

// SeenUnknown is Seen for path ends of a function in copies of machine code which are not known.
func (r *Run) SeenUnknown(name string, of, level, n int, ends uint64, stands float64) {
	f, pkg := r.find(name)
	r.seen(rundata.PathAt{Package: pkg, Hash: -1, Number: f.First + f.Values.NumPaths}, of, level, n, ends, stands)
}

func (r *Run) seen(at rundata.PathAt, of, level, n int, ends uint64, stands float64) {
	s := r.Counted()
	s.Ends, s.Samples = s.Ends+ends, s.Samples+ends
	w := r.replicate(rundata.Replicate{PathAt: at, Of: of, Level: level})
	w.Samples += ends
	w.Sum[n%runfile.Replicates] += uint64(float64(ends) * stands * runfile.SampleUnit)
}

// replicate returns the one of the run that is of the same windows.
func (r *Run) replicate(of rundata.Replicate) *rundata.Replicate {
	for i := range r.data.Replicates {
		w := &r.data.Replicates[i]
		if w.PathAt == of.PathAt && w.Of == of.Of && w.Level == of.Level {
			return w
		}
	}
	r.data.Replicates = append(r.data.Replicates, of)
	return &r.data.Replicates[len(r.data.Replicates)-1]
}

func (r *Run) pathAt(name string, edges []int) rundata.PathAt {
	f, pkg := r.find(name)
	return rundata.PathAt{Package: pkg, Hash: -1, Number: f.First + pathNumber(f, edges)}
}
