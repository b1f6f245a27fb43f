//go:build goprofinstr_std && (amd64 || arm64 || riscv64)

package sys

import (
	"internal/runtime/syscall/linux"
	_ "unsafe" // for go:linkname
)

// environ returns the environment that the process was started with. Package runtime has it for package syscall, which could not be instrumented if it were
// imported here.
//
//go:linkname environ syscall.runtime_envs
func environ() []string

// Getenv returns the value that a variable had when the process started, "" if it was not set.
//
//go:norace
func Getenv(name string) string {
	for _, entry := range environ() {
		if len(entry) > len(name) && entry[:len(name)] == name && entry[len(name)] == '=' {
			return entry[len(name)+1:]
		}
	}
	return ""
}

// syscall6 makes a system call. Arguments that are converted pointers stay valid
// during the call: the objects are kept alive and, the function needing no more
// stack, do not move.
//
//go:uintptrkeepalive
//go:nosplit
//go:norace
func syscall6(num, a1, a2, a3, a4, a5, a6 uintptr) (uintptr, Errno) {
	r, _, e := linux.Syscall6(num, a1, a2, a3, a4, a5, a6)
	return r, Errno(e)
}
