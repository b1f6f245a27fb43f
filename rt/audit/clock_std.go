//go:build goprofinstr_std

package audit

import _ "unsafe" // for linkname

// ticks is the cycle counter on amd64, read in order with what surrounds it; the monotonic clock elsewhere.
func ticks() U { return U(cputicks()) }

// nanos is the monotonic clock.
func nanos() U { return U(auditNanotime()) }

// random returns 32 bits of the runtime's own generator, one for each thread, which the program can neither seed nor see.
func random() U { return U(cheaprand()) }

//go:linkname cputicks runtime.cputicks
func cputicks() int64

//go:linkname auditNanotime runtime.nanotime
func auditNanotime() int64

//go:linkname cheaprand runtime.cheaprand
func cheaprand() uint32
