// Package record makes traces of programs: the sequence of path ends, with where each activation was called from.
//
// Programs are built by a goprofinstr of its own, made by [Build]. That goprofinstr links another file into them in place of the
// probes of package rt. So there is nothing in ordinary programs, and nothing that is recorded is a sample. A recording is a file
// of words
//
//	┌────────────┬─────────────┬─────────┬────────────────┐
//	│ estimate   │ path number │ counter │ return address │  path end 0, after those that are skipped
//	│ of the path│ in a Hash   │ of it   │ of the frame   │
//	├────────────┴─────────────┴─────────┴────────────────┤
//	│ …                                                   │
//	└─────────────────────────────────────────────────────┘
//
// whose addresses [Read] looks up in the symbols of the program and in the path tables of a profile of it.
//
// # What is not handled
//
//   - Systems other than linux/amd64.
//   - Calls that the compiler has inlined, and those of generic functions, are none: the frame is the caller's, or has another
//     name.
//   - A call is in the trace when its activation ends its first path, and not if that never ends.
//   - Threads at the same time: path ends are in the order in which they claimed their place.
package record
