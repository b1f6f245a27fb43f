//go:build !(linux && (amd64 || arm64 || riscv64)) && !darwin && !(windows && !386)

package sys

import "syscall"

// System calls of other systems, by package syscall. It and what it imports cannot be instrumented there.

func MakeDir(name string) { syscall.Mkdir(name, 0777) }

// Warn writes a line to standard error, given in parts.
func Warn(parts ...string) {
	line := ""
	for _, s := range parts {
		line += s
	}
	syscall.Write(syscall.Stderr, []byte(line))
}

func Clock() U {
	var tv syscall.Timeval
	if syscall.Gettimeofday(&tv) != nil {
		return 0
	}
	return U(tv.Nano())
}
