// Package rt is what rewritten programs call to count their paths. It is linked
// into the user's program, where it never panics, takes no lock and starts no
// goroutine; trouble is one line on stderr.
//
// A function is numbered and rewritten by package rewrite; what comes out of
//
//	package p
//
//	func Max(a, b int) int {
//		if a < b {
//			return b
//		}
//		return a
//	}
//
// is, on the same lines and in somewhat longer form,
//
//	package p; import "goprofinstr/rt"
//
//	func Max(a, b int) int { var r rt.U
//		if a < b { r = 1
//			*rt.Word(&C[rt.Pad], r)++; return b
//		}
//		*rt.Word(&C[rt.Pad], r)++; return a
//	}
//
//	// in a file of its own:
//	var C [rt.Pad + 2 + rt.Pad]rt.U // a counter for every path of p
//	var H [1]rt.Hash                // one for every function with too many paths for C
//	var _ = rt.Register(&rt.Package{Path: "example.com/p", Table: "…", Counters: &C[0], N: 2, Hashes: &H[0], NHashes: 1})
//
// On Linux and macOS the counters lie in the run file: see package runfile. The increment
// above is then all that counting costs, and the counts are kept however the
// process ends. They lie in a file named run.<pid>.<start in ns>.gpi in the directory that GOPROFINSTR_DIR named when the process
// started. The directory is made if it is missing; "off" is for none. Where the variable is not set, programs that wrap runs know
// the directory from the linker (runfile/destination.go), and others say so in a line. A child process that is instrumented
// writes a file of its own. A run file may be read and unlinked while its process runs. If it is truncated the process goes on,
// and what the file had is gone (runfile/mappings.go). Its format is drawn in runfile/format.go; package rundata reads it.
//
// # Other ways of counting
//
// Rewritten code imports this package, which has what all ways of counting use, and the one of its way.
//
// With -atomic the increments are exact.Exact(rt.Word(&C[rt.Pad], r)), which adds to the counter's like in the thread's own
// shard: see package exact.
//
// Where paths are sampled and not counted, what stands in place of the increments is
//
//	if S[sampled.Pad+k].On { sampled.Sample(&S[sampled.Pad+k], sampled.Pair(&C[rt.Pad], r)) }
//
// With native probes it is a store to a Site. After linking a no-op replaces the store (package rewrite/patch), and a call does
// for the time of a burst. See package sampled.
//
// With -mode stratified, it is that of -atomic in functions of few paths, and in others
//
//	if strata.Due(strata.Hashed(r,1732,21)) { strata.EventPath(strata.Hashed(r,1732,21), &H[3], r, 256) }
//
// or Event, which count one in 256 events of a stratum; or Feed, which has a compressor of package stream decide: see
// package strata.
//
// With -kinds, package event makes events of calls, of loops and of values. With -per-test, package pertest writes down what
// each test has added to the counters. Package abandon counts what abandoned activations had executed. Functions that are
// audited have dispatchers, of which package audit has the half that is linked into programs. All of them rest on package
// runfile, and that on package sys.
//
// Text for package runtime, which package rewrite/target adds, lies beside the package that it works together with.
//
// # Two flavours
//
// Any package may be instrumented, in any module, and also of the standard
// library. So this package is laid over GOROOT as the standard package goprofinstr/rt, and so are those below it, and package
// sampler with those below it. [Source] says which of their files are. They import nothing else but packages that are part of the
// runtime, since what they import cannot be instrumented. Files with the tag goprofinstr_std are for that flavour; their twins,
// with the tag negated, make the ordinary package that tests and tools import. They do not differ in more than system calls,
// atomics and who calls start.
//
// # What is not handled
//
//   - Plain increments by several threads at once may get lost; those of Exact and Inc do not.
//   - Shards are not made any more once the program has closed the run file; threads that have none may lose increments then.
//   - A shard spans all of the program's data without pointers and initial values. The run file is that much longer for
//     each thread, though most of it is holes.
//   - What another goroutine counts in a package while that package is being
//     registered may get lost.
//   - What strata hold is known by their numbers. A process that is killed in the middle of a probe has one event of a stratum
//     too many or too few, in each thread.
//   - What the compressors of package strata hold is lost if the process is killed. More than eight threads that feed at the same
//     time may lose events.
//   - Run files do not survive a crash of the system: nothing is synced.
//   - File systems that promise space and do not have it, where package runtime is not as the hooks expect. A
//     copy-on-write one with snapshots, or a network's, can kill the process with SIGBUS then.
//   - A file system that is slow to write back makes the first increments after
//     each write-back slow. Use one in memory.
//   - Programs with privileges of their own (set-user-ID, file capabilities) find GOPROFINSTR_DIR not set.
//   - Programs that forbid themselves fallocate, fstat or mmap (seccomp) while a
//     Hash grows.
//   - What a selector counts are some 30,000 values, and others together.
//   - A Hash holds some two million paths; executions of more are counted as lost.
//   - On Windows a process that is terminated loses what it has counted in the last tenth of a second: see package mirror.
//     If the run file is on a drive that is not fixed, it is written when main returns or os.Exit is called.
//   - Except on linux/amd64, linux/arm64, linux/riscv64, macOS and Windows the data is written
//     when main returns or os.Exit is called: a panic or a signal loses the run. Abandoned activations are not counted.
//     On these systems and on Windows, package syscall and what it imports cannot be instrumented.
//   - Before Linux 6.4, and where ticks come from the runtime's monitor, bursts are those of all threads. Estimates may be too
//     large by the number that run at a time.
//   - CPU time where ticks come from the runtime's monitor. The time is that of the clock while goroutines run, and up to
//     20 ms of each time in which none does. That of a tick goes to the path that ends next, in any thread, and to its calling
//     context.
//   - C code that blocks SIGSEGV in a thread of Go's, or takes it over in the middle of a tick. (If it has taken it over
//     before, no path end is trapped.)
//   - Debuggers that stop at SIGSEGV stop at path ends that are looked at with their context. -frames 0 does without.
//   - Signals that arrive in threads that Go knows nothing of begin no burst; what is counted of them is that they came.
//   - It has been run on linux/amd64 and linux/386, and on linux/arm64 and linux/riscv64 in an emulator. macOS has the code that
//     linux/amd64 runs with the tag goprofinstr_basic, but for what calls libSystem: nobody has run that. Programs for Windows
//     have been run by Wine.
//   - Plugins, and shared libraries that are loaded into a program with rt of its own.
package rt
