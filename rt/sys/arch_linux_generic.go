//go:build linux && (arm64 || riscv64)

package sys

// Pad is the number of words that a counter array has before and after its
// counters, so that whole pages cover the counters: 65536 bytes, since kernels
// for these processors are built for pages of 4, 16 or 64 KiB.
const Pad = 8192

// Page is the unit of mappings, in bytes: at least the size of the system's pages.
const Page = Pad * 8

// Numbers of system calls: Linux's generic table.
const (
	sysRead          = 63
	sysClose         = 57
	sysFstat         = 80
	sysMmap          = 222
	sysMprotect      = 226
	sysSchedYield    = 124
	sysNanosleep     = 101
	sysMunmap        = 215
	sysMadvise       = 233
	sysPread64       = 67
	sysPwrite64      = 68
	sysWritev        = 66
	sysMremap        = 216
	sysGetpid        = 172
	sysGetppid       = 173
	sysPrctl         = 167
	sysReadlinkat    = 78
	sysFcntl         = 25
	sysUname         = 160
	sysGettid        = 178
	sysTimerCreate   = 107
	sysRtSigaction   = 134
	sysRtSigprocmask = 135
	sysTimerSettime  = 110
	sysTimerDelete   = 111
	sysClockGettime  = 113
	sysOpenat        = 56
	sysMkdirat       = 34
	sysUnlinkat      = 35
	sysFallocate     = 47
)
