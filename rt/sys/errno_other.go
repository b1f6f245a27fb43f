//go:build !darwin

package sys

// Numbers of errors on Linux.
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
	nameTooLong     Errno = 36
	NoSystemCall    Errno = 38
	NotSupported    Errno = 95
	overQuota       Errno = 122
)
