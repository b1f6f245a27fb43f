package rt

// What the user sees of this package: a variable, a file name and lines on stderr.

// dirVar is the environment variable that says where run files go. [off] is for nowhere.
const dirVar = "GOPROFINSTR_DIR"

const unsetWarning = "goprofinstr: warning: " + dirVar + " not set, no path profile written\n"

// runName is the name of a run file.
//
//go:norace
func runName(dir string, pid, start U) string {
	return dir + "/run." + decimal(pid) + "." + decimal(start) + ".gpi"
}

//go:norace
func decimal(n U) string {
	var b [20]byte
	i := len(b)
	for {
		i--
		b[i] = '0' + byte(n%10)
		if n /= 10; n == 0 {
			return string(b[i:])
		}
	}
}

// The outcomes that end a complaint.
const (
	notWritten = "no path profile written"
	incomplete = "path profile incomplete"
)

const growingTable = "growing a path table in"

const tooManyPaths = "too many paths in one function"
