package runfile

import (
	"runtime"

	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// Where the run file goes.

// linkedDir is the directory of the wrap that runs the program, which the linker fills in (see LinkedDir). It is "" in programs
// that wrap go build has made. With linkedDir, processes of the program that are started with an environment of their own, as
// script tests do, are counted like others.
var linkedDir string

// linkedIdentity is the identity of a test binary that wrap runs, in hexadecimal digits, which the linker fills in (see
// LinkedIdentity). No two are the same, whatever they are built from: what is known of one is known of its runs only.
var linkedIdentity string

// identity returns it as a number, 0 if there is none.
//
//go:norace
func identity() (n U) {
	for i := range len(linkedIdentity) {
		digit := U(linkedIdentity[i] - '0')
		if digit > 9 {
			digit = U(linkedIdentity[i]-'a') + 10
		}
		n = n<<4 | digit
	}
	return n
}

// Linked tells whether the linker has given a directory: wrap runs the program then.
func Linked() bool { return linkedDir != "" }

// A destination is a directory for a run file.
type destination struct {
	dir  string // "" if nothing is recorded
	make bool   // it is made if it is missing. Otherwise nothing is recorded then: the wrap that had it is over
}

// destinationOf returns the destination for a value of the variable, which is "" where it is not set. With [off] the program
// records nothing and says nothing of it.
//
//go:norace
func destinationOf(value string) destination {
	switch value {
	case off:
		return destination{}
	case "", linkedDir:
		return destination{dir: linkedDir}
	}
	return destination{value, true}
}

// makeAll makes a directory and those above it. Errors are left to who uses it: another process may be quicker.
//
//go:norace
func makeAll(dir string) {
	for i := 1; i < len(dir); i++ {
		if dir[i] == '/' || dir[i] == '\\' && runtime.GOOS == "windows" {
			sys.MakeDir(dir[:i])
		}
	}
	sys.MakeDir(dir)
}
