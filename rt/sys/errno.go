package sys

import "unsafe"

// An Errno is the number of an error as the system has it.
type Errno uintptr

// Numbers of errors that are the same on all systems.
const (
	notPermitted    Errno = 1
	NoEntry         Errno = 2
	eintr           Errno = 4
	inputOutput     Errno = 5
	BadFile         Errno = 9
	noMemory        Errno = 12
	accessDenied    Errno = 13
	Exists          Errno = 17
	noDevice        Errno = 19
	notDirectory    Errno = 20
	tooManyOpen     Errno = 23
	tooManyOpenHere Errno = 24
	fileTooLarge    Errno = 27
	noSpace         Errno = 28
	readOnly        Errno = 30
)

// Text describes the errors that opening, growing and mapping files have. It allocates nothing, for it is called in signal handlers
// and by the scheduler. A description by the number holds until the next one.
//
//go:norace
func (e Errno) Text() string {
	switch e {
	case notPermitted:
		return "operation not permitted"
	case NoEntry:
		return "no such file or directory"
	case inputOutput:
		return "input/output error"
	case BadFile:
		return "the program closed the run file"
	case noMemory:
		return "cannot allocate memory"
	case accessDenied:
		return "permission denied"
	case Exists:
		return "file exists"
	case noDevice:
		return "the file system has no shared mappings" // of mmap
	case notDirectory:
		return "not a directory"
	case tooManyOpen, tooManyOpenHere:
		return "too many open files"
	case fileTooLarge:
		return "file too large"
	case noSpace:
		return "no space left on device"
	case readOnly:
		return "read-only file system"
	case nameTooLong:
		return "file name too long"
	case NoSystemCall:
		return "function not implemented"
	case NotSupported:
		return "operation not supported"
	case overQuota:
		return "disk quota exceeded"
	}
	return e.number()
}

// numbered has the last description by the number.
var numbered [len("errno ") + 20]byte

// number describes an error by its number.
//
//go:norace
func (e Errno) number() string {
	i := len(numbered)
	for n, more := U(e), true; more; more = n > 0 {
		i--
		numbered[i] = '0' + byte(n%10)
		n /= 10
	}
	word := "errno "
	for k := len(word) - 1; k >= 0; k-- {
		i--
		numbered[i] = word[k]
	}
	return unsafe.String(&numbered[i], len(numbered)-i)
}
