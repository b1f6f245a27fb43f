//go:build amd64 || arm64 || riscv64

package sys

import "unsafe"

// System calls, made directly: package syscall, if rt imported it, could not be
// instrumented. The calls do not tell the scheduler that they may block; they
// are few, and short on any local file system. Names end with a NUL.

// atFdcwd makes openat and its kin behave like open.
const atFdcwd = ^uintptr(99)

// What files are opened for.
const (
	openRead = 0x80000                    // O_RDONLY|O_CLOEXEC
	openNew  = 2 | 0x40 | 0x80 | openRead // O_RDWR|O_CREAT|O_EXCL
)

// How memory is mapped.
const (
	readWrite    = 3 // PROT_READ|PROT_WRITE
	mapShared    = 1
	mapPrivate   = 2
	mapFixed     = 0x10
	mapAnonymous = 0x20
)

//go:norace
func open(name string, flags uintptr) (fd uintptr, err Errno) {
	return syscall6(sysOpenat, atFdcwd, uintptr(unsafe.Pointer(unsafe.StringData(name))), flags, newMode, 0, 0)
}

//go:norace
func read(fd uintptr, p unsafe.Pointer, n uintptr) (done uintptr, err Errno) {
	return syscall6(sysRead, fd, uintptr(p), n, 0, 0, 0)
}

//go:norace
func pwrite(fd uintptr, p unsafe.Pointer, n, off U) (done uintptr, err Errno) {
	return syscall6(sysPwrite64, fd, uintptr(p), uintptr(n), uintptr(off), 0, 0)
}

//go:norace
func pread(fd uintptr, p unsafe.Pointer, n, off U) (done uintptr, err Errno) {
	return syscall6(sysPread64, fd, uintptr(p), uintptr(n), uintptr(off), 0, 0)
}

// MmapAs is mmap as the system has it.
//
//go:norace
func MmapAs(addr uintptr, size U, protection, flags, fd uintptr, off U) (uintptr, Errno) {
	return syscall6(sysMmap, addr, uintptr(size), protection, flags, fd, uintptr(off))
}

//go:norace
func CloseFile(fd uintptr) { syscall6(sysClose, fd, 0, 0, 0, 0, 0) }

// MoveUp moves a descriptor out of the way of programs that count theirs: those
// of os/exec's own tests look at each one up to 100. It stays where it is if so
// high a number is not allowed.
//
//go:norace
func MoveUp(fd uintptr) uintptr {
	const dupCloexec, lowest = 1030, 200
	up, err := syscall6(sysFcntl, fd, dupCloexec, lowest, 0, 0, 0)
	if err != 0 {
		return fd
	}
	CloseFile(fd)
	return up
}

// A fileLock is struct flock.
type fileLock struct {
	kind, whence int16
	start, size  int64
	pid          int32
}

// What fcntl is asked for.
const (
	setLock   = 6 // F_SETLK
	writeLock = 1 // F_WRLCK
)

//go:norace
func fcntl(fd, command uintptr, argument unsafe.Pointer) {
	syscall6(sysFcntl, fd, command, uintptr(argument), 0, 0, 0)
}

// A FileID tells files apart: device and inode. A fileStatus begins with it.
type FileID struct{ dev, ino U }

// A fileStatus is struct stat: 144 bytes on amd64, 128 elsewhere.
type fileStatus struct {
	id   FileID
	_    [4]U
	size U
	_    [11]U
}

//go:norace
func Identify(fd uintptr) (FileID, Errno) {
	var stat fileStatus
	_, err := syscall6(sysFstat, fd, uintptr(unsafe.Pointer(&stat)), 0, 0, 0, 0)
	return stat.id, err
}

// SizeOf returns the size of a file.
//
//go:norace
func SizeOf(fd uintptr) (size U, err Errno) {
	var stat fileStatus
	_, err = syscall6(sysFstat, fd, uintptr(unsafe.Pointer(&stat)), 0, 0, 0, 0)
	return stat.size, err
}

// Mprotect says what a part of memory may be used for.
//
//go:norace
func Mprotect(addr, size, protection uintptr) Errno {
	_, err := syscall6(sysMprotect, addr, size, protection, 0, 0, 0)
	return err
}

//go:norace
func Munmap(p unsafe.Pointer, size U) { syscall6(sysMunmap, uintptr(p), uintptr(size), 0, 0, 0, 0) }

// CommandLine returns the arguments of the process, each ended by a NUL, or the first bytes of them.
//
//go:norace
func CommandLine(most int) []byte { return ReadFile("/proc/self/cmdline\x00", most) }

// UnblockBus lets SIGBUS through in a signal handler, where signals are blocked until it returns.
//
//go:norace
func UnblockBus() {
	const unblock, sigbus = 1, 7
	set := U(1) << (sigbus - 1)
	syscall6(sysRtSigprocmask, unblock, uintptr(unsafe.Pointer(&set)), 0, 8, 0, 0)
}

// Yield lets other threads run.
//
//go:norace
func Yield() { syscall6(sysSchedYield, 0, 0, 0, 0, 0, 0) }

// Pause has the thread sleep for some time, in ns and less than a second, or until a signal.
//
//go:norace
func Pause(ns U) {
	t := [2]U{1: ns}
	syscall6(sysNanosleep, uintptr(unsafe.Pointer(&t)), 0, 0, 0, 0, 0)
}

//go:norace
func MakeDir(name string) {
	name += "\x00"
	syscall6(sysMkdirat, atFdcwd, uintptr(unsafe.Pointer(unsafe.StringData(name))), 0777, 0, 0, 0)
}

// Dumpable reports whether the process may be looked into by others of its user: set-user-ID programs may not, nor those
// with file capabilities. It is true if the system does not say.
//
//go:norace
func Dumpable() bool {
	const get, yes = 3, 1 // PR_GET_DUMPABLE, SUID_DUMP_USER
	is, err := syscall6(sysPrctl, get, 0, 0, 0, 0, 0)
	return err != 0 || is == yes
}

// ChildOfItself reports whether the process's parent runs the same program. It is not known without /proc.
//
//go:norace
func ChildOfItself() bool {
	parent, _ := syscall6(sysGetppid, 0, 0, 0, 0, 0, 0)
	mine := readLink("/proc/self/exe\x00")
	return mine != "" && mine == readLink("/proc/"+Decimal(U(parent))+"/exe\x00")
}

// readLink returns what a symbolic link says, or "".
//
//go:norace
func readLink(name string) string {
	b := make([]byte, 4096)
	n, err := syscall6(sysReadlinkat, atFdcwd, uintptr(unsafe.Pointer(unsafe.StringData(name))),
		uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), 0, 0)
	if err != 0 {
		return ""
	}
	return string(b[:n])
}

//go:norace
func Unlink(name string) {
	syscall6(sysUnlinkat, atFdcwd, uintptr(unsafe.Pointer(unsafe.StringData(name))), 0, 0, 0, 0)
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
	syscall6(sysWritev, 2, uintptr(unsafe.Pointer(&list)), uintptr(len(parts)), 0, 0, 0)
}

//go:norace
func Getpid() U {
	pid, _ := syscall6(sysGetpid, 0, 0, 0, 0, 0, 0)
	return U(pid)
}

// Clock returns the Unix time in nanoseconds.
//
//go:norace
func Clock() U {
	var ts struct{ sec, nsec U }
	syscall6(sysClockGettime, 0, uintptr(unsafe.Pointer(&ts)), 0, 0, 0, 0) // CLOCK_REALTIME
	return ts.sec*1e9 + ts.nsec
}
