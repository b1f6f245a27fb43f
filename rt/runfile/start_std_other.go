//go:build goprofinstr_std && !(linux && (amd64 || arm64 || riscv64)) && !darwin && !(windows && !386)

package runfile

import (
	"internal/runtime/exithook"
	"syscall"
)

func init() {
	start(readEnvironment(func(name string) string {
		value, _ := syscall.Getenv(name)
		return value
	}))
	exithook.Add(exithook.Hook{F: finish, RunOnFailure: true})
}
