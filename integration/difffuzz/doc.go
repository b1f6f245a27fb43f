// Package difffuzz holds the whole tool against what programs say of themselves.
//
// [Check] builds and runs a program of package progen plainly, wrapped by goprofinstr
// and with Go's own coverage, and compares
//
//	behaviour   standard output, standard error, exit code of plain and wrapped       run.go
//	profile     the profile's own consistency, and its entries with the activations   counts.go
//	cover       the block counts with those of go build -cover -covermode=count       cover.go
//	paths       every path and its count with the trace of the plain run              paths.go, choose.go
//	primes      pairs of paths that follow each other, and prime paths, with the same  primes.go
//
// The trace says, for each activation of a function, which of the numbered calls it came by.
// The activation took the walk through the function's graph (table.Function) that emits just this sequence. The walks
// of all activations, cut at back edges and numbered by pathnum.Decoder.Number, give the counts that the profile must
// have. A walker (walker.go) has what is known of one function. place.go says in which of its blocks a call is, and
// walk.go searches for the walk.
//
// Where several walks fit a trace (blocks without a call), a choice of them must give the profile's counts.
// That proves less, and is not tried where they are too many, which leaves a function undecided. A function
// with abandoned activations is compared only in its entries and blocks. All three are counted in [Figures],
// so that it shows when they become many.
//
// A short run is a part of go test. A long one, and the program of a failing seed again, are
//
//	go test ./integration/difffuzz -run Fuzz -programs 170 -packages 60 -functions 2 -seed 1000 -v -timeout 0
//	go test ./integration/difffuzz -run Fuzz -programs 1 -packages 60 -functions 2 -seed 1047 -shrink -v
//
// A program's packages are generated independently of each other and run one after the other. Many of them in a
// program share the cost of three links. The flag -shrink deletes what the failure does not need. Cases that
// failed once are in testdata; a line "skip: reason" in the comment of a case keeps it from failing.
package difffuzz
