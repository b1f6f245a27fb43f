package copies

import "github.com/goprofinstr/goprofinstr/rt"

// A Package says where the counters of a package's functions are. Whoever makes the copies finds it by its magic in the linked
// program's data.
type Package struct {
	Magic     [2]U
	Path      string // import path
	Functions *Function
	N         U        // of them
	Counters  *U       // pair 0
	Hashes    *rt.Hash // Hash 0
	Words     *U       // the run file's, one for each function
}

// A Function says where the counters of a function are. Behind the pairs of its paths it has one more, for paths that are not
// known.
type Function struct {
	First U   // pair of path 0
	Paths U   // 0: they are in a Hash
	Hash  int // its number
}

// The first words of a Package. They are nowhere else in a program's data.
const (
	PackageMagic0 = 0x62fb_19d4_c05e_837a
	PackageMagic1 = 0x9ad7_e61c_3f28_b045
)

// PackageWords is how many words a Package has behind these.
const PackageWords = 7
