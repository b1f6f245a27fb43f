//go:build (amd64 || arm64 || riscv64) && !goprofinstr_basic

package sys

import "unsafe"

// What Linux has and other systems have not: the twin is choices_basic.go.

// Lock takes a write lock on the first byte of a file, unless the file system has none. It is a lock of the open file
// description. The kernel gives it back when the last descriptor and mapping of that are gone, whatever ends the process. Who
// asks for it needs no pid.
//
//go:norace
func Lock(fd uintptr) {
	const setOwnLock = 37 // F_OFD_SETLK
	lock := fileLock{kind: writeLock, size: 1}
	fcntl(fd, setOwnLock, unsafe.Pointer(&lock))
}

//go:norace
func Fallocate(fd uintptr, off, size U) Errno {
	for {
		_, err := syscall6(sysFallocate, fd, 0, uintptr(off), uintptr(size), 0, 0)
		if err != eintr { // tmpfs gives up on every signal, and the Go scheduler sends many
			return err
		}
	}
}

// DropPages gives the disk blocks of a shared mapping back, if the file system can make holes.
//
//go:norace
func DropPages(p unsafe.Pointer, size U) {
	const remove = 9
	syscall6(sysMadvise, uintptr(p), uintptr(size), remove, 0, 0, 0)
}

// Move has memory at another address, in the place of what is there.
//
//go:norace
func Move(p unsafe.Pointer, size U, to uintptr) Errno {
	const mayMove, fixed = 1, 2
	_, err := syscall6(sysMremap, uintptr(p), uintptr(size), uintptr(size), mayMove|fixed, to, 0)
	return err
}
