package sys

// Pad is the number of words that a counter array has before and after its
// counters, so that whole pages cover the counters: 4096 bytes.
const Pad = 512

// Page is the unit of mappings, in bytes: at least the size of the system's pages.
const Page = Pad * 8

// Numbers of system calls.
const (
	sysRead          = 0
	sysClose         = 3
	sysFstat         = 5
	sysRtSigaction   = 13
	sysRtSigprocmask = 14
	sysMmap          = 9
	sysMprotect      = 10
	sysSchedYield    = 24
	sysNanosleep     = 35
	sysMunmap        = 11
	sysMadvise       = 28
	sysPread64       = 17
	sysPwrite64      = 18
	sysWritev        = 20
	sysMremap        = 25
	sysGetpid        = 39
	sysFcntl         = 72
	sysGetppid       = 110
	sysPrctl         = 157
	sysClockGettime  = 228
	sysUname         = 63
	sysGettid        = 186
	sysTimerCreate   = 222
	sysTimerSettime  = 223
	sysTimerDelete   = 226
	sysOpenat        = 257
	sysMkdirat       = 258
	sysUnlinkat      = 263
	sysReadlinkat    = 267
	sysFallocate     = 285
)
