//go:build goprofinstr_std && goprofinstr_sampler && ((linux && (amd64 || arm64 || riscv64)) || darwin)

package runfile

import _ "unsafe" // for go:linkname

// onBus says what is to be called for SIGBUS.
//
//go:linkname onBus
func onBus(revoked func(address uintptr) bool)

func init() { onBus(revoked) }
