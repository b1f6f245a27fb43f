//go:build (linux && (amd64 || arm64 || riscv64)) || darwin || (windows && !386)

package runfile

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// testLogFlag is the flag with which the go command tells a test binary where to note what the tests look at.
const testLogFlag = "-test.testlogfile="

// maxLog is the size of a log up to which it is kept. Without it the go command may know the result of a test without
// running it, and wrap does not.
const maxLog = 1 << 20

// keepLog copies the log of a test into the run file. The go command removes the log; it tells which results of a
// test are of the same environment and files. Package testing has written it when the program exits.
//
//go:norace
func keepLog() {
	if run.header == nil {
		return
	}
	name := testLog()
	if name == "" {
		return
	}
	log := sys.ReadFile(name, maxLog)
	if len(log) == 0 || len(log) == maxLog {
		return
	}
	const head = U(unsafe.Sizeof(LogRecord{}))
	record, err := NewRecord(KindLog, sys.RoundUp(head+U(len(log)), Page))
	if record == nil || err != 0 {
		return
	}
	(*LogRecord)(unsafe.Pointer(record)).Length = U(len(log))
	copy(unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(record), head)), len(log)), log)
	record.Publish()
}

// maxArgs is how much of the command line is looked at.
const maxArgs = 1 << 16

// testLog returns the name of the log, with a NUL at its end, by the command line; "" if there is none.
//
//go:norace
func testLog() string {
	args := string(sys.CommandLine(maxArgs))
	for start, i := 0, 0; i < len(args); i++ {
		if args[i] != 0 {
			continue
		}
		if arg := args[start : i+1]; len(arg) > len(testLogFlag) && arg[:len(testLogFlag)] == testLogFlag {
			return arg[len(testLogFlag):]
		}
		start = i + 1
	}
	return ""
}
