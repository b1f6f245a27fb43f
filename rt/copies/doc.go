// Package copies is the half of counting copies that is linked into programs. Package rewrite/copies makes a copy of the machine
// code of each function, which appends to a log where paths go. The code that the program runs has nothing of it.
//
//	at a tick       the thread's PC is set to the same instruction in the copy, and the calls on its stack are made to return
//	                to copies: a window begins, or in tests a burst
//	in the burst    records go to the thread's log (a record: the site, and where the stack pointer is)
//	at its end      the PC is set to the same instruction in the original, and the log is decoded (package pathlog)
//
// The copy has the frame, the registers and the flags of the original before each instruction. So a thread can change over
// anywhere, and both ways. Where it calls, the return address is the copy's: what is called comes back into the copy. The
// text for package runtime (runtime.go.txt) has everything that reads return addresses see the original's.
//
// A look is a record with a value: a register, or whether a condition holds. A choice between ways of the source goes by what
// looks have told since the path began.
//
// # Files
//
// Programs sample in windows (window.go, looks.go), and functions that are rarely executed run in their copies always
// (cold*.go). What tests do is in bursts.go and log.go: bursts that are not weighed, and one that never ends. All of them have
// the decoder (package pathlog) and the tables in common (image.go, places.go).
//
// # What is kept where
//
// A record changes no flag and no register, and pushes nothing: the stack pointer tells unwinders where the frame is. It needs
// two words of the thread's own. These are in m.tls, of which Go uses the first on linux/amd64. The others are those below.
// With C code FS is C's, and the words are in the thread's block of C variables (words.go.txt): as far from FS as Image.Words
// says.
//
//	0(FS)   where the thread notes the next record; 0 outside of bursts
//	8(FS)   what a register held before a record
//	16(FS)  the thread's log
//	24(FS)  where the records of a burst end that is over; where functions begin cold, whether the thread is in a window
//	32(FS)  1 if a window waits for the thread's next goroutine
//
// # What is not handled
//
// Nothing but linux/amd64 and linux/arm64. On arm64 programs with C code have no copies. C code that has variables of threads
// which begin with a value.
package copies

// U is the type of counters and path numbers.
type U = uint64
