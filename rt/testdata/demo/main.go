// Command demo is what a rewritten program looks like, with a case for each way
// to end and each thing that can go wrong. See TestProgram.
package main

import (
	"goprofinstr/rt"
	"os"
	"runtime"
	"sync"
	"syscall"
	"unsafe"
)

// early counts before Register runs.
var early = func() int {
	C[rt.Pad]++
	rt.Path(&H[1], 1<<40)
	return 0
}()

var C [rt.Pad + 4 + rt.Pad]uint64
var H [2]rt.Hash
var _ = rt.Register(&rt.Package{Path: "example.com/demo", Table: "the path table", Counters: &C[0], N: 4, Hashes: &H[0], NHashes: 2})

func main() {
	if n := runtime.NumGoroutine(); n != 1 {
		println("goroutines:", n)
		os.Exit(9)
	}
	for range 10 {
		C[rt.Pad+1]++
		rt.Inc(&C[rt.Pad+3])
	}
	r := rt.U(1)
	if rt.Add(&r, 1) == 0 && rt.Count(&C[r+rt.Pad]) == 0 {
		rt.Path(&H[0], 5)
	}

	switch os.Args[1] {
	case "return":
	case "exit":
		os.Exit(3)
	case "panic":
		panic("deliberate")
	case "deadlock":
		select {}
	case "block":
		os.Stdout.WriteString("counted\n")
		os.Stdin.Read(make([]byte, 1))
	case "paths":
		manyPaths()
	case "elsewhere":
		if err := os.Chdir("/"); err != nil {
			panic(err)
		}
	case "full":
		for p := range rt.U(2_200_000) { // more than a Hash has room for
			rt.Path(&H[0], p)
		}
	case "threads":
		threads()
	case "race":
		race()
	case "closed":
		closed()
	}
}

// manyPaths counts paths 0 … 99999.
func manyPaths() {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for p := range rt.U(100_000) {
		rt.Path(&H[0], p)
	}
	runtime.ReadMemStats(&after)
	println("allocations:", after.Mallocs-before.Mallocs)
}

// threads counts 64 × 3000 executions in counter 3 and 64 × 3 of each of the
// paths 0 … 999.
func threads() {
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			var r rt.U
			for i := range rt.U(1000) {
				rt.Inc(&C[rt.Pad+3])
				rt.CountInc(&C[rt.Pad+3])
				rt.Inc(&C[r+rt.Pad+3])
				rt.Path(&H[0], i)
				rt.CountPath(&H[0], i)
				rt.Path(&H[0], i)
			}
		})
	}
	wg.Wait()
}

// race writes a variable in two goroutines, one after the other by way of a pipe
// that the race detector does not see, each counting in between. The counting
// must not order them in its eyes.
func race() {
	runtime.GOMAXPROCS(2) // the read below blocks its processor
	var pipe [2]int
	if err := syscall.Pipe2(pipe[:], 0); err != nil {
		panic(err)
	}
	var b byte
	shared := new(int)
	go func() {
		*shared = 1
		rt.Inc(&C[rt.Pad])
		rt.Path(&H[0], 0)
		syscall.RawSyscall(syscall.SYS_WRITE, uintptr(pipe[1]), uintptr(unsafe.Pointer(&b)), 1)
	}()
	syscall.RawSyscall(syscall.SYS_READ, uintptr(pipe[0]), uintptr(unsafe.Pointer(new(byte))), 1)
	rt.Inc(&C[rt.Pad])
	rt.Path(&H[0], 0)
	*shared = 2
}

// closed does what a daemon does, closing every descriptor, has a file of its own
// where the run file was, and then makes a table grow.
func closed() {
	for fd := 3; fd < 256; fd++ {
		syscall.Close(fd)
	}
	own, err := os.OpenFile(os.Getenv("OWN"), os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		panic(err)
	}
	for fd := 150; fd < 256; fd++ {
		syscall.Dup3(int(own.Fd()), fd, 0)
	}
	manyPaths()
}
