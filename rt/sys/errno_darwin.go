package sys

// Numbers of errors on macOS.
const (
	nameTooLong  Errno = 63
	NoSystemCall Errno = 78
	NotSupported Errno = 45
	overQuota    Errno = 69
)
