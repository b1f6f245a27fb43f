//go:build goprofinstr_std && ((linux && (amd64 || arm64 || riscv64)) || darwin || (windows && !386))

package runfile

import "github.com/goprofinstr/goprofinstr/rt/sys"

//go:norace
func init() {
	var e environment
	if sys.Dumpable() { // or who runs a program with privileges would say where it writes
		e = readEnvironment(sys.Getenv)
	}
	start(e)
}
