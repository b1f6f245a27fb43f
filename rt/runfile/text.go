package runfile

import "github.com/goprofinstr/goprofinstr/rt/sys"

// What the user sees of this package: a file name and lines on stderr.

const unsetWarning = "goprofinstr: warning: " + dirVar + " not set, no path profile written\n"

// runName is the name of a run file.
//
//go:norace
func runName(dir string, pid, start U) string {
	return dir + "/run." + sys.Decimal(pid) + "." + sys.Decimal(start) + ".gpi"
}

// The outcomes that end a complaint.
const (
	notWritten = "no path profile written"
	incomplete = "path profile incomplete"
)

// growing is what cannot be done when a chunk cannot be made.
const growing = "growing a hash table in"

const tooManyPaths = "too many paths in one function"
