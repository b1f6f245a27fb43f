//go:build goprofinstr_std && goprofinstr_tests && linux && (amd64 || arm64 || riscv64)

package rt

import _ "github.com/goprofinstr/goprofinstr/rt/pertest" // package testing calls it
