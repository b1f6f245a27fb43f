package sys

import "unsafe"

// Calls of libSystem, made as package runtime makes them: numbers of system calls are not stable on
// macOS. The calls do not tell the scheduler that they may block; they are few, and short on any
// local file system.

// What files are opened for.
const (
	openRead = 0x1000000                    // O_RDONLY|O_CLOEXEC
	openNew  = 2 | 0x200 | 0x800 | openRead // O_RDWR|O_CREAT|O_EXCL
)

// How memory is mapped.
const (
	readWrite    = 3 // PROT_READ|PROT_WRITE
	mapShared    = 1
	mapPrivate   = 2
	mapFixed     = 0x10
	mapAnonymous = 0x1000
)

// What fcntl is asked for.
const (
	setLock   = 8 // F_SETLK
	writeLock = 3 // F_WRLCK
)

//go:norace
func open(name string, flags uintptr) (fd uintptr, err Errno) {
	return libc3(openAddress, uintptr(unsafe.Pointer(unsafe.StringData(name))), flags, newMode)
}

//go:norace
func read(fd uintptr, p unsafe.Pointer, n uintptr) (done uintptr, err Errno) {
	return libc3(readAddress, fd, uintptr(p), n)
}

//go:norace
func pwrite(fd uintptr, p unsafe.Pointer, n, off U) (done uintptr, err Errno) {
	return libc6(pwriteAddress, fd, uintptr(p), uintptr(n), uintptr(off), 0, 0)
}

//go:norace
func pread(fd uintptr, p unsafe.Pointer, n, off U) (done uintptr, err Errno) {
	return libc6(preadAddress, fd, uintptr(p), uintptr(n), uintptr(off), 0, 0)
}

// MmapAs is mmap as the system has it.
//
//go:norace
func MmapAs(addr uintptr, size U, protection, flags, fd uintptr, off U) (uintptr, Errno) {
	return libc6(mmapAddress, addr, uintptr(size), protection, flags, fd, uintptr(off))
}

//go:norace
func Munmap(p unsafe.Pointer, size U) { libc3(munmapAddress, uintptr(p), uintptr(size), 0) }

//go:norace
func CloseFile(fd uintptr) { libc3(closeAddress, fd, 0, 0) }

// MoveUp moves a descriptor out of the way of programs that count theirs. It stays where it is if
// so high a number is not allowed.
//
//go:norace
func MoveUp(fd uintptr) uintptr {
	const dupCloexec, lowest = 67, 200
	up, err := libc3(fcntlAddress, fd, dupCloexec, lowest)
	if err != 0 {
		return fd
	}
	CloseFile(fd)
	return up
}

//go:norace
func fcntl(fd, command uintptr, argument unsafe.Pointer) {
	libc3(fcntlAddress, fd, command, uintptr(argument))
}

// A fileLock is struct flock.
type fileLock struct {
	start, size  int64
	pid          int32
	kind, whence int16
}

// A FileID tells files apart: device and inode.
type FileID struct{ dev, ino U }

// A fileStatus is struct stat.
type fileStatus struct {
	dev         int32
	mode, nlink uint16
	ino         U
	_           [16]U
}

//go:norace
func Identify(fd uintptr) (FileID, Errno) {
	var stat fileStatus
	_, err := libc3(fstatAddress, fd, uintptr(unsafe.Pointer(&stat)), 0)
	return FileID{U(stat.dev), stat.ino}, err
}

// CommandLine returns the arguments of the process, each ended by a NUL, or the first bytes of them.
//
//go:norace
func CommandLine(most int) []byte {
	var b []byte
	for _, a := range arguments() {
		b = append(append(b, a...), 0)
	}
	return b[:min(len(b), most)]
}

// UnblockBus lets SIGBUS through in a signal handler, where signals are blocked until it returns.
//
//go:norace
func UnblockBus() {
	const unblock, sigbus = 2, 10
	set := uint32(1) << (sigbus - 1)
	libc3(sigmaskAddress, unblock, uintptr(unsafe.Pointer(&set)), 0)
}

//go:norace
func MakeDir(name string) {
	name += "\x00"
	libc3(mkdirAddress, uintptr(unsafe.Pointer(unsafe.StringData(name))), 0777, 0)
}

// Dumpable reports whether the process may be looked into by others of its user: set-user-ID programs may not.
//
//go:norace
func Dumpable() bool {
	is, _ := libc3(issetugidAddress, 0, 0, 0)
	return int32(is) == 0
}

// ChildOfItself reports whether the process's parent runs the same program.
//
//go:norace
func ChildOfItself() bool {
	parent, _ := libc3(getppidAddress, 0, 0, 0)
	mine := programOf(uintptr(Getpid()))
	return mine != "" && mine == programOf(parent)
}

// programOf returns the name of the file that a process runs, or "".
//
//go:norace
func programOf(pid uintptr) string {
	b := make([]byte, 4096) // PROC_PIDPATHINFO_MAXSIZE
	n, err := libc3(pidpathAddress, pid, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
	if err != 0 || int32(n) <= 0 {
		return ""
	}
	return string(b[:n])
}

//go:norace
func Unlink(name string) {
	libc3(unlinkAddress, uintptr(unsafe.Pointer(unsafe.StringData(name))), 0, 0)
}

// Warn writes a line to standard error, given in parts. It allocates nothing, for it is called in signal handlers.
//
//go:norace
func Warn(parts ...string) {
	var list [9]struct {
		text unsafe.Pointer
		n    U
	}
	for i, s := range parts {
		list[i].text, list[i].n = unsafe.Pointer(unsafe.StringData(s)), U(len(s))
	}
	libc3(writevAddress, 2, uintptr(unsafe.Pointer(&list)), uintptr(len(parts)))
}

//go:norace
func Getpid() U {
	pid, _ := libc3(getpidAddress, 0, 0, 0)
	return U(pid)
}

// Clock returns the Unix time in nanoseconds.
//
//go:norace
func Clock() U {
	const realtime = 0
	var ts struct{ sec, nsec U }
	libc3(clockAddress, realtime, uintptr(unsafe.Pointer(&ts)), 0)
	return ts.sec*1e9 + ts.nsec
}
