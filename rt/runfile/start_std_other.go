//go:build goprofinstr_std && (!linux || !(amd64 || arm64 || riscv64))

package runfile

import (
	"internal/runtime/exithook"
	"syscall"
)

func init() {
	dir, _ := syscall.Getenv(dirVar)
	start(dir)
	exithook.Add(exithook.Hook{F: finish, RunOnFailure: true})
}
