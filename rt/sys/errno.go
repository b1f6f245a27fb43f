package sys

// An Errno is the number of an error as Linux has it.
type Errno uintptr

const (
	NoEntry      Errno = 2
	eintr        Errno = 4
	BadFile      Errno = 9
	Exists       Errno = 17
	efbig        Errno = 27
	NoSystemCall Errno = 38
	NotSupported Errno = 95
)

// Text describes the errors that opening, growing and mapping files have.
//
//go:norace
func (e Errno) Text() string {
	switch e {
	case 1:
		return "operation not permitted"
	case NoEntry:
		return "no such file or directory"
	case 5:
		return "input/output error"
	case BadFile:
		return "the program closed the run file"
	case 12:
		return "cannot allocate memory"
	case 13:
		return "permission denied"
	case 19:
		return "the file system has no shared mappings" // ENODEV from mmap
	case 20:
		return "not a directory"
	case 23, 24:
		return "too many open files"
	case efbig:
		return "file too large"
	case 28:
		return "no space left on device"
	case 30:
		return "read-only file system"
	case 36:
		return "file name too long"
	case NoSystemCall:
		return "function not implemented"
	case NotSupported:
		return "operation not supported"
	case 122:
		return "disk quota exceeded"
	}
	return "errno " + Decimal(U(e))
}
