package sys

// An Errno is the number of an error as the system has it.
type Errno uintptr

// Text describes the errors that opening, growing and mapping files have.
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
	return "errno " + Decimal(U(e))
}
