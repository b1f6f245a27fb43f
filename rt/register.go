package rt

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// A Package is what a rewritten package hands to Register.
type Package struct {
	Path     string // import path
	Root     string // folder that names of its files are relative to, as it was when the program was built; "" if that is not told
	Table    string // encoded path table
	Counters *U     // first element of the padded array; nil if there is none
	N        U      // counters, without padding
	Hashes   *Hash  // first of the hash tables
	NHashes  int
}

// Register records a package and moves its counters into the run file, with
// what they have counted by then. It returns 0, for use in a variable's initialiser:
//
//	var _ = rt.Register(&rt.Package{Path: "example.com/p", Table: "…", Counters: &C[0], N: 12, Hashes: &H[0], NHashes: 2})
//
// An Inc by another goroutine during Register may be lost, so the call should
// be the package's first initialiser.
//
//go:norace
func Register(p *Package) U {
	runfile.Register(runfile.Package{
		Path: p.Path, Root: p.Root, Table: p.Table,
		Counters: p.Counters, N: p.N, Hashes: unsafe.Pointer(p.Hashes), NHashes: p.NHashes,
	})
	return 0
}
