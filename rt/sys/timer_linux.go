//go:build amd64 || arm64 || riscv64

package sys

import "unsafe"

// What sampling needs of the system: timers, clocks and signals.

// Clocks of the system.
const (
	ClockMonotonic  = 1
	ClockProcessCPU = 2
	ClockThreadCPU  = 3
)

const sigprof = 27

// CreateTimer makes a timer whose signal is for a thread, or for any if that is 0.
//
//go:norace
func CreateTimer(id *int32, clock, value, tid uintptr) bool {
	const threadID = 4 << 32 // sigev_notify: SIGEV_THREAD_ID; 0 is SIGEV_SIGNAL
	event := [8]U{U(value), sigprof}
	if tid != 0 {
		event[1], event[2] = sigprof|threadID, U(tid)
	}
	_, err := syscall6(sysTimerCreate, clock, uintptr(unsafe.Pointer(&event)), uintptr(unsafe.Pointer(id)), 0, 0, 0)
	return err == 0
}

//go:norace
func DeleteTimer(id int32) { syscall6(sysTimerDelete, uintptr(id), 0, 0, 0, 0, 0) }

// SetTimer sets a timer to expire after some time, and then again and again if there is an interval.
// It reports whether the system lets it.
//
//go:norace
func SetTimer(id int32, after, interval U) bool {
	spec := [4]U{interval / 1e9, interval % 1e9, after / 1e9, after % 1e9}
	_, err := syscall6(sysTimerSettime, uintptr(id), 0, uintptr(unsafe.Pointer(&spec)), 0, 0, 0)
	return err == 0
}

// ClockTime returns the time of a clock in ns, 0 for that of a thread that is no more.
//
//go:norace
func ClockTime(clock uintptr) U {
	var ts [2]U
	syscall6(sysClockGettime, clock, uintptr(unsafe.Pointer(&ts)), 0, 0, 0, 0)
	return ts[0]*1e9 + ts[1]
}

// ClockOf returns the clock of a thread's CPU time, which other threads can read, too.
func ClockOf(tid uintptr) uintptr { return ^tid<<3 | 6 } // CPUCLOCK_PERTHREAD | CPUCLOCK_SCHED

// Gettid returns the kernel's number of the calling thread.
//
//go:norace
func Gettid() uintptr {
	tid, _ := syscall6(sysGettid, 0, 0, 0, 0, 0, 0)
	return tid
}

// LinuxAtLeast tells whether the kernel's release is at least a version.
//
//go:norace
func LinuxAtLeast(major, minor U) bool {
	var name [6][65]byte // sysname, nodename, release, …
	if _, err := syscall6(sysUname, uintptr(unsafe.Pointer(&name)), 0, 0, 0, 0, 0); err != 0 {
		return false
	}
	var version [2]U
	part := 0
	for _, c := range name[2] {
		switch {
		case c >= '0' && c <= '9':
			version[part] = version[part]*10 + U(c-'0')
			continue
		case c == '.' && part == 0:
			part++
			continue
		}
		break
	}
	return version[0] > major || version[0] == major && version[1] >= minor
}

// SegvHandler returns the address of the handler of SIGSEGV.
//
//go:norace
func SegvHandler() U {
	const sigsegv = 11
	var action [4]U // handler, flags, …, mask
	syscall6(sysRtSigaction, sigsegv, 0, uintptr(unsafe.Pointer(&action)), 8, 0, 0)
	return action[0]
}
