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
