//go:build goprofinstr_std && ((linux && (amd64 || arm64 || riscv64)) || darwin)

package sys

import _ "unsafe" // for go:linkname

// environ returns the environment that the process was started with. Package runtime has it for package syscall, which could
// not be instrumented if it were imported here.
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
