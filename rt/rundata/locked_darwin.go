package rundata

import (
	"os"
	"syscall"
)

// Locked reports whether a process has the write lock on the first byte of its run file. It has
// until it ends, however it does, or until it closes a descriptor of the file. A file that was
// copied is not locked. It is not known on a file system without locks.
func Locked(f *os.File) (locked, known bool) {
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Len: 1}
	known = syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &lock) == nil
	return known && lock.Type != syscall.F_UNLCK, known
}
