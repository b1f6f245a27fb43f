//go:build !386

package sys

import (
	"syscall"
	"unsafe"
)

// Functions of kernel32. Some may be needed where nothing may block or allocate. These are called as package runtime calls
// them, without telling the scheduler: in the runtime's monitor, that would wait for a processor. The calls are few, and short
// on any local file system. What is needed only when the program starts is called by package syscall.

// What files are opened for.
const (
	openRead = iota
	openNew
)

var (
	kernel32 = syscall.NewLazyDLL("kernel32.dll")

	writeFile       = kernel32.NewProc("WriteFile").Addr()
	readFile        = kernel32.NewProc("ReadFile").Addr()
	closeHandle     = kernel32.NewProc("CloseHandle").Addr()
	fileInformation = kernel32.NewProc("GetFileInformationByHandle").Addr()
	createMapping   = kernel32.NewProc("CreateFileMappingW").Addr()
	mapView         = kernel32.NewProc("MapViewOfFile").Addr()
	unmapView       = kernel32.NewProc("UnmapViewOfFile").Addr()
	virtualAlloc    = kernel32.NewProc("VirtualAlloc").Addr()
	virtualFree     = kernel32.NewProc("VirtualFree").Addr()
	volumeOf        = kernel32.NewProc("GetVolumePathNameW").Addr()
	driveType       = kernel32.NewProc("GetDriveTypeW").Addr()
)

// open opens a file that others may read, rename and remove meanwhile.
//
//go:norace
func open(name string, flags uintptr) (fd uintptr, err Errno) {
	wide, invalid := syscall.UTF16PtrFromString(name[:len(name)-1])
	if invalid != nil {
		return 0, NoEntry
	}
	access, create := uint32(syscall.GENERIC_READ), uint32(syscall.OPEN_EXISTING)
	if flags == openNew {
		access, create = syscall.GENERIC_READ|syscall.GENERIC_WRITE, syscall.CREATE_NEW
	}
	const share = syscall.FILE_SHARE_READ | syscall.FILE_SHARE_WRITE | syscall.FILE_SHARE_DELETE
	handle, failed := syscall.CreateFile(wide, access, share, nil, create, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if failed != nil {
		return 0, errnoOf(uintptr(failed.(syscall.Errno)))
	}
	return uintptr(handle), 0
}

// positionAt is where a file is read or written.
func positionAt(off U) syscall.Overlapped {
	return syscall.Overlapped{Offset: uint32(off), OffsetHigh: uint32(off >> 32)}
}

// mostAtOnce is how many bytes are read or written at once: their number has 32 bits.
const mostAtOnce = 1 << 30

//go:norace
func pwrite(fd uintptr, p unsafe.Pointer, n, off U) (done uintptr, err Errno) {
	at, written := positionAt(off), uint32(0)
	_, err = call(writeFile, fd, uintptr(p), uintptr(min(n, mostAtOnce)),
		uintptr(unsafe.Pointer(&written)), uintptr(unsafe.Pointer(&at)), 0)
	return uintptr(written), err
}

//go:norace
func pread(fd uintptr, p unsafe.Pointer, n, off U) (done uintptr, err Errno) {
	at, got := positionAt(off), uint32(0)
	_, err = call(readFile, fd, uintptr(p), uintptr(min(n, mostAtOnce)),
		uintptr(unsafe.Pointer(&got)), uintptr(unsafe.Pointer(&at)), 0)
	return uintptr(got), err
}

//go:norace
func read(fd uintptr, p unsafe.Pointer, n uintptr) (done uintptr, err Errno) {
	got := uint32(0)
	_, err = call(readFile, fd, uintptr(p), min(n, mostAtOnce), uintptr(unsafe.Pointer(&got)), 0, 0)
	return uintptr(got), err
}

//go:norace
func CloseFile(fd uintptr) { call(closeHandle, fd, 0, 0, 0, 0, 0) }

// MoveUp has nothing to do: handles are no small numbers.
func MoveUp(fd uintptr) uintptr { return fd }

// Lock does nothing: a locked part of a file can be read by nobody else here.
func Lock(uintptr) {}

// Fallocate is not there: zeros are written in its place.
func Fallocate(fd uintptr, off, size U) Errno { return NotSupported }

// A FileID tells files apart: the volume, and the file on it.
type FileID struct{ volume, file U }

//go:norace
func Identify(fd uintptr) (FileID, Errno) {
	var info syscall.ByHandleFileInformation
	_, err := call(fileInformation, fd, uintptr(unsafe.Pointer(&info)), 0, 0, 0, 0)
	return FileID{U(info.VolumeSerialNumber), U(info.FileIndexHigh)<<32 | U(info.FileIndexLow)}, err
}

// MapView maps size bytes of a file, shared.
//
//go:norace
func MapView(size U, fd uintptr, off U) (unsafe.Pointer, Errno) {
	end := off + size
	mapping, err := call(createMapping, fd, 0, syscall.PAGE_READWRITE, uintptr(end>>32), uintptr(uint32(end)), 0)
	if err != 0 {
		return nil, err
	}
	view, err := call(mapView, mapping, syscall.FILE_MAP_WRITE, uintptr(off>>32), uintptr(uint32(off)), uintptr(size), 0)
	CloseFile(mapping) // the view keeps it
	return Pointer(view), err
}

//go:norace
func UnmapView(p unsafe.Pointer) { call(unmapView, uintptr(p), 0, 0, 0, 0, 0) }

// OnFixedDrive reports whether a folder, which may not be there, is on a disk that is part of the machine.
//
//go:norace
func OnFixedDrive(dir string) bool {
	const fixed, ramDisk = 3, 6 // DRIVE_FIXED, DRIVE_RAMDISK
	wide, invalid := syscall.UTF16PtrFromString(dir)
	if invalid != nil {
		return false
	}
	root := make([]uint16, 1<<15)
	_, err := call(volumeOf, uintptr(unsafe.Pointer(wide)), uintptr(unsafe.Pointer(&root[0])), uintptr(len(root)), 0, 0, 0)
	if err != 0 {
		return false
	}
	kind, _ := call(driveType, uintptr(unsafe.Pointer(&root[0])), 0, 0, 0, 0, 0)
	return kind == fixed || kind == ramDisk
}

// MmapPrivate allocates memory that is in no file.
//
//go:norace
func MmapPrivate(size U) (unsafe.Pointer, Errno) {
	const commit, reserve = 0x1000, 0x2000 // MEM_COMMIT, MEM_RESERVE
	p, err := call(virtualAlloc, 0, uintptr(size), commit|reserve, syscall.PAGE_READWRITE, 0, 0)
	return Pointer(p), err
}

// Munmap frees memory that MmapPrivate has allocated.
//
//go:norace
func Munmap(p unsafe.Pointer, _ U) {
	const release = 0x8000 // MEM_RELEASE
	call(virtualFree, uintptr(p), 0, release, 0, 0, 0)
}

// CommandLine returns the arguments of the process, each ended by a NUL, or the first bytes of them.
//
//go:norace
func CommandLine(most int) []byte {
	wide := unsafe.Slice(syscall.GetCommandLine(), 1<<15) // there are no longer ones
	n := 0
	for n < len(wide) && wide[n] != 0 {
		n++
	}
	b := splitArguments(syscall.UTF16ToString(wide[:n]))
	return b[:min(len(b), most)]
}

//go:norace
func MakeDir(name string) { syscall.Mkdir(name, 0777) }

// Dumpable reports whether the process may be looked into by others of its user: there are no set-user-ID programs.
func Dumpable() bool { return true }

// ChildOfItself is not known.
func ChildOfItself() bool { return false }

//go:norace
func Unlink(name string) { syscall.Unlink(name[:len(name)-1]) }

// Getenv returns the value of a variable, "" if it is not set.
//
//go:norace
func Getenv(name string) string {
	value, _ := syscall.Getenv(name)
	return value
}

// Warn writes a line to standard error, given in parts. It allocates nothing.
//
//go:norace
func Warn(parts ...string) {
	for _, s := range parts {
		written := uint32(0)
		call(writeFile, uintptr(syscall.Stderr), uintptr(unsafe.Pointer(unsafe.StringData(s))), uintptr(len(s)),
			uintptr(unsafe.Pointer(&written)), 0, 0)
	}
}

func Getpid() U { return U(syscall.Getpid()) }

// Clock returns the Unix time in nanoseconds.
//
//go:norace
func Clock() U {
	var tv syscall.Timeval
	if syscall.Gettimeofday(&tv) != nil {
		return 0
	}
	return U(tv.Nano())
}
