//go:build (linux && (amd64 || arm64 || riscv64)) || darwin || (windows && !386)

package sys

import "unsafe"

// Files on systems where the run file is mapped. What differs between them is in files called calls_GOOS.go: names of
// files end with a NUL there, and here.

// newMode is the mode of files that are made: others may not read what a command line has.
const newMode = 0640

//go:norace
func OpenNew(name string) (fd uintptr, err Errno) { return Open(name, openNew) }

//go:norace
func Open(name string, flags uintptr) (fd uintptr, err Errno) {
	for {
		if fd, err = open(name, flags); err != eintr {
			return fd, err
		}
	}
}

// ReadFile returns the first max bytes of a file, or what it can of them.
//
//go:norace
func ReadFile(name string, max int) []byte {
	fd, err := Open(name, openRead)
	if err != 0 {
		return nil
	}
	b := make([]byte, 0, 4096)
	for len(b) < max {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		room := b[len(b):min(cap(b), max)]
		n, err := read(fd, unsafe.Pointer(&room[0]), uintptr(len(room)))
		if err == eintr {
			continue
		}
		if err != 0 || n == 0 {
			break
		}
		b = b[:len(b)+int(n)]
	}
	CloseFile(fd)
	return b
}

// Pwrite writes all n bytes at p.
//
//go:norace
func Pwrite(fd uintptr, p unsafe.Pointer, n, off U) Errno {
	for n > 0 {
		done, err := pwrite(fd, p, n, off)
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

// Pread reads n bytes to p, or what there is of them.
//
//go:norace
func Pread(fd uintptr, p unsafe.Pointer, n, off U) {
	for n > 0 {
		done, err := pread(fd, p, n, off)
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
func PwriteString(fd uintptr, s string, off U) Errno {
	return Pwrite(fd, unsafe.Pointer(unsafe.StringData(s)), U(len(s)), off)
}

var zeros [4096]byte

// mostZeros is more than any record is long, in bytes. Zeros are written where no space can be
// reserved, and should not fill the disk before there is an error.
const mostZeros = 1 << 30

//go:norace
func PwriteZeros(fd uintptr, off, size U) Errno {
	if size > mostZeros {
		return fileTooLarge
	}
	for ; size > 0; off, size = off+U(len(zeros)), size-U(len(zeros)) { // size is a multiple of page
		if err := Pwrite(fd, unsafe.Pointer(&zeros), U(len(zeros)), off); err != 0 {
			return err
		}
	}
	return 0
}
