package rundata

import (
	"os"
	"syscall"
)

// locked reports whether a process has the write lock on the first byte of its run file. It has until it ends, however it does. A file that was copied
// or is on a file system without locks is not locked.
func locked(f *os.File) bool {
	const getLock = 36 // F_OFD_GETLK
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Len: 1}
	return syscall.FcntlFlock(f.Fd(), getLock, &lock) == nil && lock.Type != syscall.F_UNLCK
}
