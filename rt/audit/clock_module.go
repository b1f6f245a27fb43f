//go:build !goprofinstr_std

package audit

import (
	"math/rand/v2"
	"time"
)

// The twin of clock_std.go for tests and tools.

var auditEpoch = time.Now()

func ticks() U  { return nanos() }
func nanos() U  { return U(time.Since(auditEpoch)) }
func random() U { return U(rand.Uint32()) }
