//go:build !linux

package wrapcost

import (
	"os"
)

// peakMemory is not known here.
func peakMemory(*os.ProcessState) float64 { return 0 }
