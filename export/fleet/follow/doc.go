// Package follow reads the run files of directories again and again, while their processes write them and others come and go.
//
//	f := follow.New(follow.Options{Dirs: []string{"/run/goprofinstr/*"}})
//	for range ticks {
//		for _, r := range f.Poll() {
//			delta, err := r.Delta() // what r has counted since the last time
//		}
//	}
//
// What is counted is read as it is, and compared with what was read before. A path table is decoded once for all runs of a
// build. Estimates of sampled runs are made of what windows saw besides, or of messages of strata. Only runs whose values are
// sampled in strata are read as a whole.
//
// # Trust
//
// Directories may have files of others. Files are opened without following a link. Only regular ones are, of the user who
// follows them or of the directory's owner. A file that is larger than Options.MaxRun on disk is left alone. Nothing is ever
// written, and no file is mapped, since it may be cut short at any moment. What is wrong with a file costs that file only: it is
// in Run.Err, once.
//
// # Not handled
//
// Of runs that are sampled, deltas have no activations that were abandoned. Counts of programs without -atomic may shrink, where
// goroutines share them: what deltas have had of them stays.
package follow
