package sys

import "unsafe"

// What a second mapping of the text needs of the system.

const (
	sysPrlimit64   = 302
	sysMemfdCreate = 319
)

// MemoryFile makes a file that is in memory only. The name ends with a NUL.
//
//go:norace
func MemoryFile(name string) (fd uintptr, err Errno) {
	// What is executed is the mapping, never the file. Systems that do not let programs have executable files in memory
	// (vm.memfd_noexec) make a difference there, and the kernel's log wants it said. Before 6.3 there was no such flag.
	const cloexec, noexecSeal, einval = 1, 8, 22
	at := uintptr(unsafe.Pointer(unsafe.StringData(name)))
	fd, err = syscall6(sysMemfdCreate, at, cloexec|noexecSeal, 0, 0, 0, 0)
	if err == einval {
		fd, err = syscall6(sysMemfdCreate, at, cloexec, 0, 0, 0, 0)
	}
	return fd, err
}

// FileLimit returns how large a file that the process writes may be. What goes beyond it is a signal, which the program may have
// asked for.
//
//go:norace
func FileLimit() U {
	const fsize = 1 // RLIMIT_FSIZE
	var limit [2]U
	if _, err := syscall6(sysPrlimit64, 0, fsize, 0, uintptr(unsafe.Pointer(&limit)), 0, 0); err != 0 {
		return 0
	}
	return limit[0]
}

// KeepFromChildren has memory not be there in processes that fork makes.
//
//go:norace
func KeepFromChildren(addr uintptr, size U) Errno {
	const dontFork = 10
	return madvise(addr, size, dontFork)
}

// Forget has memory be again what is in the file that it is a private mapping of.
//
//go:norace
func Forget(addr uintptr, size U) Errno {
	const dontNeed = 4
	return madvise(addr, size, dontNeed)
}
