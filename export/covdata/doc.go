// Package covdata writes coverage data as programs of go build -cover leave it in GOCOVERDIR, for go tool covdata:
//
//	covmeta.HASH                packages, functions, and their extents
//	covcounters.HASH.PID.TIME   how often each extent was executed
//
// The forms are those of package internal/coverage of the Go toolchain, where defs.go has them drawn: version 1 of both
// files. HASH is over all of the first file, as the cover tool and the runtime compute it. So what programs of go build
// -cover with the same packages have written has the same HASH, if the packages come in the order of their
// initialisation; go tool covdata merges it with what is written here in any case, function by function.
//
// # Not handled
//
// Counters have 32 bits, and larger counts are the largest of these. Functions whose counts are not known are there as if
// they had not been executed, for the hash is over them, too. Of two files of a package with //line directives to one
// and the same place the cover tool moves extents apart, which is not done here.
package covdata
