package patch

import (
	"fmt"
	"os"
	"reflect"
	"syscall"
	"unsafe"
)

// WhyNot returns why native probes do not work on this machine, "" if they do. It tries both ways that they know to write to
// text.
func WhyNot() string {
	if canMapTwice() {
		return ""
	}
	return whyNotProtect()
}

// canMapTwice reports whether a program may map a file in memory to be executed, and again to be written.
func canMapTwice() bool {
	const memfdCreate, cloexec, noexecSeal = 319, 1, 8
	name := []byte("goprofinstr\x00")
	fd, _, errno := syscall.Syscall(memfdCreate, uintptr(unsafe.Pointer(&name[0])), cloexec|noexecSeal, 0)
	if errno == syscall.EINVAL {
		fd, _, errno = syscall.Syscall(memfdCreate, uintptr(unsafe.Pointer(&name[0])), cloexec, 0)
	}
	if errno != 0 {
		return false
	}
	file := os.NewFile(fd, "goprofinstr")
	defer file.Close()
	if file.Truncate(int64(os.Getpagesize())) != nil {
		return false
	}
	mapped := func(prot, flags int) bool {
		b, err := syscall.Mmap(int(fd), 0, os.Getpagesize(), prot, flags)
		if err == nil {
			err = syscall.Munmap(b)
		}
		return err == nil
	}
	return mapped(syscall.PROT_READ|syscall.PROT_EXEC, syscall.MAP_PRIVATE) &&
		mapped(syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
}

// whyNotProtect returns why text cannot be made writable for a moment, "" if it can. It does so with a page of this program.
func whyNotProtect() string {
	size := uintptr(os.Getpagesize())
	address := reflect.ValueOf(WhyNot).Pointer() &^ (size - 1)
	protect := func(prot uintptr) error {
		if _, _, errno := syscall.Syscall(syscall.SYS_MPROTECT, address, size, prot); errno != 0 {
			return errno
		}
		return nil
	}
	const text = syscall.PROT_READ | syscall.PROT_EXEC
	if err := protect(text | syscall.PROT_WRITE); err != nil {
		return fmt.Sprintf("this system lets no program write to its own text (%v)", err)
	}
	if err := protect(text); err != nil {
		return fmt.Sprintf("this system lets no program protect its own text again (%v)", err)
	}
	return ""
}
