// Package covdata writes coverage data as programs of go build -cover leave it in GOCOVERDIR, for go tool covdata:
//
//	covmeta.HASH                packages, functions, and their extents
//	covcounters.HASH.PID.TIME   how often each extent was executed
//
// The forms are those of package internal/coverage of the Go toolchain, where defs.go has them drawn: version 1 of both
// files. HASH is over all of the first file, as the cover tool and the runtime compute it. So files of programs of go
// build -cover with the same packages have the same HASH, if packages come in the order of their initialisation. In any
// case go tool covdata merges it with what is written here, function by function.
//
// # Not handled
//
// Counters have 32 bits, and larger counts are the largest of these. Functions whose counts are not known are there as if
// they had not been executed, for the hash is over them, too. The cover tool moves extents apart where two files of a
// package have //line directives to one and the same place. This is not done here.
package covdata
