//go:build darwin || (linux && (amd64 || arm64 || riscv64) && goprofinstr_basic)

package sys

import "unsafe"

// What systems do that have no more than POSIX: macOS, and Linux with the tag goprofinstr_basic,
// which is there to have this run. The twin is choices_linux.go.

// Lock takes a write lock on the first byte of a file, unless the file system has none. It is a
// lock of the process: the kernel gives it back when the process ends, and when the process closes
// any descriptor of the file.
//
//go:norace
func Lock(fd uintptr) {
	lock := fileLock{kind: writeLock, size: 1}
	fcntl(fd, setLock, unsafe.Pointer(&lock))
}

// Fallocate is not there: zeros are written in its place.
//
//go:norace
func Fallocate(fd uintptr, off, size U) Errno { return NotSupported }

// DropPages leaves the disk blocks of a shared mapping to the file.
//
//go:norace
func DropPages(p unsafe.Pointer, size U) {}

// Move has memory at another address, in the place of what is there. What other threads write there meanwhile may be lost.
//
//go:norace
func Move(p unsafe.Pointer, size U, to uintptr) Errno {
	if err := MmapNothing(to, size); err != 0 {
		return err
	}
	for i := U(0); i < size/8; i++ {
		*Word((*U)(Pointer(to)), i) = *Word((*U)(p), i)
	}
	Munmap(p, size)
	return 0
}
