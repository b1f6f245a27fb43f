// Package profiledir knows what is in a profile directory: the names of its files and folders. It knows how one wrap
// after the other gets its place there. What the files mean is for others.
//
//	d, err := profiledir.CheckDir("goprofinstr.out") // may data be written there?
//	…
//	err = d.Lock(busy)                 // one wrap at a time
//	err = d.Start(manifest, tables)    // programs write to d.Running()
//	…
//	err = d.Commit()                   // readers see the new profile
//
// A directory with a profile holds
//
//	run.<pid>.<start in ns>.gpi            run data, a file for each process
//	goprofinstr.json                       the manifest
//	tables/0000.gptab …                    the path tables of all packages
//	cover.json                             what go test would cover
//	paths.pb.gz, edges.pb.gz, calls.pb.gz  for pprof
//
// or, after goprofinstr audit, audit.json and perhaps audit.html and others.
//
// # Not handled
//
// File systems without locks: on these nobody is kept out.
package profiledir
