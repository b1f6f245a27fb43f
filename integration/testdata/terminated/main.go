// Terminated counts, and ends in the way that its argument says.
package main

import (
	"os"
	"time"
)

// long is many times the time after which what was counted is in the run file on any system.
const long = 2 * time.Second

func main() {
	for i := range 30_000 {
		early(i)
	}
	for i := range 70_000 {
		sparse(uint32(i % 7))
	}
	switch os.Args[1] {
	case "return":
	case "exit":
		os.Exit(3)
	case "panic":
		panic("at the end")
	case "deadlock":
		select {}
	case "busy": // when it is terminated
		n := 0
		for start := time.Now(); time.Since(start) < long; n++ {
			late()
		}
		println(n)
		terminate()
	case "idle":
		time.Sleep(long)
		terminate()
	}
}

// terminate ends the process as others do it: by TerminateProcess, or SIGKILL.
func terminate() {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		panic(err)
	}
	self.Kill()
	select {}
}

// early has two paths, of which the second is taken one time in three.
//
//go:noinline
func early(i int) bool {
	if i%3 == 0 {
		return true
	}
	return false
}

//go:noinline
func late() {}

// sparse has so many paths that they are in a hash table.
//
//go:noinline
func sparse(n uint32) (bits int) {
	if n&(1<<0) != 0 {
		bits++
	}
	if n&(1<<1) != 0 {
		bits++
	}
	if n&(1<<2) != 0 {
		bits++
	}
	if n&(1<<3) != 0 {
		bits++
	}
	if n&(1<<4) != 0 {
		bits++
	}
	if n&(1<<5) != 0 {
		bits++
	}
	if n&(1<<6) != 0 {
		bits++
	}
	if n&(1<<7) != 0 {
		bits++
	}
	if n&(1<<8) != 0 {
		bits++
	}
	if n&(1<<9) != 0 {
		bits++
	}
	if n&(1<<10) != 0 {
		bits++
	}
	if n&(1<<11) != 0 {
		bits++
	}
	if n&(1<<12) != 0 {
		bits++
	}
	if n&(1<<13) != 0 {
		bits++
	}
	if n&(1<<14) != 0 {
		bits++
	}
	if n&(1<<15) != 0 {
		bits++
	}
	if n&(1<<16) != 0 {
		bits++
	}
	if n&(1<<17) != 0 {
		bits++
	}
	if n&(1<<18) != 0 {
		bits++
	}
	if n&(1<<19) != 0 {
		bits++
	}
	if n&(1<<20) != 0 {
		bits++
	}
	if n&(1<<21) != 0 {
		bits++
	}
	if n&(1<<22) != 0 {
		bits++
	}
	if n&(1<<23) != 0 {
		bits++
	}
	if n&(1<<24) != 0 {
		bits++
	}
	if n&(1<<25) != 0 {
		bits++
	}
	if n&(1<<26) != 0 {
		bits++
	}
	if n&(1<<27) != 0 {
		bits++
	}
	if n&(1<<28) != 0 {
		bits++
	}
	if n&(1<<29) != 0 {
		bits++
	}
	if n&(1<<30) != 0 {
		bits++
	}
	if n&(1<<31) != 0 {
		bits++
	}
	return bits
}
