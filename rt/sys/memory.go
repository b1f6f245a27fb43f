//go:build (linux && (amd64 || arm64 || riscv64)) || darwin

package sys

import "unsafe"

// Memory on systems that map it by mmap.

// MapShared maps size bytes of a file, shared, over addr, or anywhere if addr is 0.
//
//go:norace
func MapShared(addr uintptr, size U, fd uintptr, off U) (unsafe.Pointer, Errno) {
	flags := uintptr(mapShared)
	if addr != 0 {
		flags |= mapFixed
	}
	p, err := MmapAs(addr, size, readWrite, flags, fd, off)
	return *(*unsafe.Pointer)(unsafe.Pointer(&p)), err // not memory of Go's: the conversion is no concern of vet
}

// MmapNothing maps memory that is in no file over addr.
//
//go:norace
func MmapNothing(addr uintptr, size U) Errno {
	_, err := MmapAs(addr, size, readWrite, mapPrivate|mapFixed|mapAnonymous, ^uintptr(0), 0)
	return err
}

// MmapPrivate maps memory that is in no file.
//
//go:norace
func MmapPrivate(size U) (unsafe.Pointer, Errno) {
	p, err := MmapAs(0, size, readWrite, mapPrivate|mapAnonymous, ^uintptr(0), 0)
	return *(*unsafe.Pointer)(unsafe.Pointer(&p)), err
}

// MmapGuard maps memory that can be neither read nor written.
//
//go:norace
func MmapGuard(size U) (uintptr, Errno) {
	return MmapAs(0, size, 0, mapPrivate|mapAnonymous, ^uintptr(0), 0)
}
