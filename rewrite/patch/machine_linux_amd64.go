package patch

import (
	"fmt"
	"os"
	"reflect"
	"syscall"
)

// WhyNot returns why native probes do not work on this machine, "" if they do. It does with a page of this program what they do with those of others: they
// make it writable for a moment.
func WhyNot() string {
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
