//go:build !darwin

package sys

// Numbers of errors on Linux.
const (
	nameTooLong  Errno = 36
	NoSystemCall Errno = 38
	NotSupported Errno = 95
	overQuota    Errno = 122
)
