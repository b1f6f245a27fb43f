package wrapcost

import (
	"os"
	"syscall"
)

// peakMemory returns the most memory, in bytes, that a process had resident, or one of those that it has
// started and waited for.
func peakMemory(p *os.ProcessState) float64 {
	return float64(p.SysUsage().(*syscall.Rusage).Maxrss) * 1024 // in KB on linux
}
