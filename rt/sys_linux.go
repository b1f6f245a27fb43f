//go:build amd64 || arm64 || riscv64

package rt

import "unsafe"

// System calls, made directly: package syscall, if rt imported it, could not be
// instrumented. The calls do not tell the scheduler that they may block; they
// are few, and short on any local file system. Names end with a NUL.

type errno uintptr

const (
	enoent     errno = 2
	eintr      errno = 4
	ebadf      errno = 9
	eexist     errno = 17
	efbig      errno = 27
	enosys     errno = 38
	eopnotsupp errno = 95
)

// text describes the errors that opening, growing and mapping files have.
//
//go:norace
func (e errno) text() string {
	switch e {
	case 1:
		return "operation not permitted"
	case enoent:
		return "no such file or directory"
	case 5:
		return "input/output error"
	case ebadf:
		return "the program closed the run file"
	case 12:
		return "cannot allocate memory"
	case 13:
		return "permission denied"
	case 19:
		return "the file system has no shared mappings" // ENODEV from mmap
	case 20:
		return "not a directory"
	case 23, 24:
		return "too many open files"
	case efbig:
		return "file too large"
	case 28:
		return "no space left on device"
	case 30:
		return "read-only file system"
	case 36:
		return "file name too long"
	case enosys:
		return "function not implemented"
	case eopnotsupp:
		return "operation not supported"
	case 122:
		return "disk quota exceeded"
	}
	return "errno " + decimal(U(e))
}

// atFdcwd makes openat and its kin behave like open.
const atFdcwd = ^uintptr(99)

//go:norace
func openNew(name string) (fd uintptr, err errno) {
	const flags = 2 | 0x40 | 0x80 | 0x80000 // O_RDWR|O_CREAT|O_EXCL|O_CLOEXEC
	return open(name, flags)
}

//go:norace
func open(name string, flags uintptr) (fd uintptr, err errno) {
	for {
		fd, err = syscall6(sysOpenat, atFdcwd, uintptr(unsafe.Pointer(unsafe.StringData(name))), flags, 0666, 0, 0)
		if err != eintr {
			return fd, err
		}
	}
}

// readFile returns the first max bytes of a file, or what it can of them.
//
//go:norace
func readFile(name string, max int) []byte {
	fd, err := open(name, 0x80000) // O_RDONLY|O_CLOEXEC
	if err != 0 {
		return nil
	}
	b := make([]byte, 0, 4096)
	for len(b) < max {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		room := b[len(b):min(cap(b), max)]
		n, err := syscall6(sysRead, fd, uintptr(unsafe.Pointer(&room[0])), uintptr(len(room)), 0, 0, 0)
		if err == eintr {
			continue
		}
		if err != 0 || n == 0 {
			break
		}
		b = b[:len(b)+int(n)]
	}
	closeFile(fd)
	return b
}

//go:norace
func closeFile(fd uintptr) { syscall6(sysClose, fd, 0, 0, 0, 0, 0) }

// moveUp moves a descriptor out of the way of programs that count theirs: those
// of os/exec's own tests look at each one up to 100. It stays where it is if so
// high a number is not allowed.
//
//go:norace
func moveUp(fd uintptr) uintptr {
	const dupCloexec, lowest = 1030, 200
	up, err := syscall6(sysFcntl, fd, dupCloexec, lowest, 0, 0, 0)
	if err != 0 {
		return fd
	}
	closeFile(fd)
	return up
}

// A fileID tells files apart: device and inode.
type fileID struct{ dev, ino U }

//go:norace
func identify(fd uintptr) (fileID, errno) {
	var stat [32]U // struct stat is 144 bytes on amd64, 128 elsewhere, and begins with a fileID
	_, err := syscall6(sysFstat, fd, uintptr(unsafe.Pointer(&stat)), 0, 0, 0, 0)
	return fileID{stat[0], stat[1]}, err
}

//go:norace
func fallocate(fd uintptr, off, size U) errno {
	for {
		_, err := syscall6(sysFallocate, fd, 0, uintptr(off), uintptr(size), 0, 0)
		if err != eintr { // tmpfs gives up on every signal, and the Go scheduler sends many
			return err
		}
	}
}

// pwrite writes all n bytes at p.
//
//go:norace
func pwrite(fd uintptr, p unsafe.Pointer, n, off U) errno {
	for n > 0 {
		done, err := syscall6(sysPwrite64, fd, uintptr(p), uintptr(n), uintptr(off), 0, 0)
		if err == eintr {
			continue
		}
		if err != 0 {
			return err
		}
		p, n, off = unsafe.Add(p, done), n-U(done), off+U(done)
	}
	return 0
}

// pread reads n bytes to p, or what there is of them.
//
//go:norace
func pread(fd uintptr, p unsafe.Pointer, n, off U) {
	for n > 0 {
		done, err := syscall6(sysPread64, fd, uintptr(p), uintptr(n), uintptr(off), 0, 0)
		if err == eintr {
			continue
		}
		if err != 0 || done == 0 {
			return
		}
		p, n, off = unsafe.Add(p, done), n-U(done), off+U(done)
	}
}

//go:norace
func pwriteString(fd uintptr, s string, off U) errno {
	return pwrite(fd, unsafe.Pointer(unsafe.StringData(s)), U(len(s)), off)
}

var zeros [4096]byte

//go:norace
func pwriteZeros(fd uintptr, off, size U) errno {
	for ; size > 0; off, size = off+U(len(zeros)), size-U(len(zeros)) { // size is a multiple of page
		if err := pwrite(fd, unsafe.Pointer(&zeros), U(len(zeros)), off); err != 0 {
			return err
		}
	}
	return 0
}

// mmap maps size bytes of the run file, shared, over addr, or anywhere if addr is 0.
//
//go:norace
func mmap(addr uintptr, size U, fd uintptr, off U) (unsafe.Pointer, errno) {
	const readWrite, shared, fixed = 3, 1, 16
	flags := uintptr(shared)
	if addr != 0 {
		flags |= fixed
	}
	p, err := syscall6(sysMmap, addr, uintptr(size), readWrite, flags, fd, uintptr(off))
	if err == 0 {
		noteMapping(mapping{U(p), size, off})
	}
	return *(*unsafe.Pointer)(unsafe.Pointer(&p)), err // not memory of Go's: the conversion is no concern of vet
}

// mmapNothing maps memory that is in no file over addr.
//
//go:norace
func mmapNothing(addr uintptr, size U) errno {
	const readWrite, private, fixed, anonymous = 3, 2, 16, 32
	_, err := syscall6(sysMmap, addr, uintptr(size), readWrite, private|fixed|anonymous, ^uintptr(0), 0)
	return err
}

// mmapPrivate maps memory that is in no file.
//
//go:norace
func mmapPrivate(size U) (unsafe.Pointer, errno) {
	const readWrite, private, anonymous = 3, 2, 32
	p, err := syscall6(sysMmap, 0, uintptr(size), readWrite, private|anonymous, ^uintptr(0), 0)
	return *(*unsafe.Pointer)(unsafe.Pointer(&p)), err
}

// mmapGuard maps memory that can be neither read nor written.
//
//go:norace
func mmapGuard(size U) (uintptr, errno) {
	const private, anonymous = 2, 32
	return syscall6(sysMmap, 0, uintptr(size), 0, private|anonymous, ^uintptr(0), 0)
}

// discard unmaps what mmap returned and gives its disk blocks back, if the file
// system can make holes.
//
//go:norace
func discard(p unsafe.Pointer, size U) {
	const remove = 9
	syscall6(sysMadvise, uintptr(p), uintptr(size), remove, 0, 0, 0)
	forgetMapping(U(uintptr(p)))
	munmap(p, size)
}

//go:norace
func munmap(p unsafe.Pointer, size U) { syscall6(sysMunmap, uintptr(p), uintptr(size), 0, 0, 0, 0) }

// move has memory at another address, in the place of what is there.
//
//go:norace
func move(p unsafe.Pointer, size U, to uintptr) errno {
	const mayMove, fixed = 1, 2
	_, err := syscall6(sysMremap, uintptr(p), uintptr(size), uintptr(size), mayMove|fixed, to, 0)
	return err
}

// unblockBus lets SIGBUS through in a signal handler, where signals are blocked until it returns.
//
//go:norace
func unblockBus() {
	const unblock, sigbus = 1, 7
	set := U(1) << (sigbus - 1)
	syscall6(sysRtSigprocmask, unblock, uintptr(unsafe.Pointer(&set)), 0, 8, 0, 0)
}

//go:norace
func makeDir(name string) {
	name += "\x00"
	syscall6(sysMkdirat, atFdcwd, uintptr(unsafe.Pointer(unsafe.StringData(name))), 0777, 0, 0, 0)
}

// dumpable reports whether the process may be looked into by others of its user: set-user-ID programs may not, nor those with file capabilities. It is true
// if the system does not say.
//
//go:norace
func dumpable() bool {
	const get, yes = 3, 1 // PR_GET_DUMPABLE, SUID_DUMP_USER
	is, err := syscall6(sysPrctl, get, 0, 0, 0, 0, 0)
	return err != 0 || is == yes
}

// childOfItself reports whether the process's parent runs the same program. It is not known without /proc.
//
//go:norace
func childOfItself() bool {
	parent, _ := syscall6(sysGetppid, 0, 0, 0, 0, 0, 0)
	mine := readLink("/proc/self/exe\x00")
	return mine != "" && mine == readLink("/proc/"+decimal(U(parent))+"/exe\x00")
}

// readLink returns what a symbolic link says, or "".
//
//go:norace
func readLink(name string) string {
	b := make([]byte, 4096)
	n, err := syscall6(sysReadlinkat, atFdcwd, uintptr(unsafe.Pointer(unsafe.StringData(name))), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), 0, 0)
	if err != 0 {
		return ""
	}
	return string(b[:n])
}

//go:norace
func unlink(name string) {
	syscall6(sysUnlinkat, atFdcwd, uintptr(unsafe.Pointer(unsafe.StringData(name))), 0, 0, 0, 0)
}

// warn writes a line to standard error, given in parts. It allocates nothing, for it is called in signal handlers.
//
//go:norace
func warn(parts ...string) {
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
func getpid() U {
	pid, _ := syscall6(sysGetpid, 0, 0, 0, 0, 0, 0)
	return U(pid)
}

// clock returns the Unix time in nanoseconds.
//
//go:norace
func clock() U {
	var ts struct{ sec, nsec U }
	syscall6(sysClockGettime, 0, uintptr(unsafe.Pointer(&ts)), 0, 0, 0, 0) // CLOCK_REALTIME
	return ts.sec*1e9 + ts.nsec
}
