// Package follow reads the run files of directories again and again, while their processes write them and others come and go.
//
//	f := follow.New(follow.Options{Dirs: []string{"/run/goprofinstr/*"}})
//	for range ticks {
//		for _, r := range f.Poll() {
//			delta := r.Delta() // what r has counted since the last time
//		}
//	}
//
// What is counted exactly is read as it is, and compared with what was read before; a path table is decoded once for all
// runs of a build. A sampled run is read as a whole, for its estimates rest on all of its samples.
//
// # Trust
//
// Directories may have files of others. Files are opened without following a link, and only regular ones of the user who
// follows them or of the directory's owner; one that is larger than Options.MaxRun on disk is left alone. Nothing is ever
// written, and no file is mapped, since it may be cut short at any moment. What is wrong with a file costs that file only: it is
// in Run.Err, once.
//
// # Not handled
//
// Deltas have no calling contexts, and of runs that are sampled no activations that were abandoned.
package follow
