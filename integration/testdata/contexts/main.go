// Program contexts runs one of some small programs whose calling contexts are known: for a number of rounds, or for
// some CPU time. All rounds of a program make the same calls, or those of a cycle of period rounds.
package main

import (
	"flag"
	"fmt"
	"os"
	"syscall"
	"time"
)

// period is how many rounds there are until all is as it was.
const period = 16

var programs = map[string]func(round int){
	"deep": deep, "mutual": mutual, "figure5": figure5, "figure9": figure9, "figure10": figure10, "stems": stems, "time": timed, "labels": labelled, "path": path, "full": full,
	"again": again, "caller": caller, "fibonacci": fibonacci, "sequence": sequence, "slowly": slowly, "figure6": figure6,
}

// atExit is what the instrumented variant does in the end.
var atExit = func() {}

var sink int

func main() {
	rounds := flag.Int("rounds", 0, "rounds of a program")
	cpu := flag.Duration("cpu", 0, "CPU time, if there is no number of rounds")
	flag.Parse()
	program := programs[flag.Arg(0)]
	if program == nil {
		fmt.Fprintln(os.Stderr, "no such program")
		os.Exit(2)
	}
	for i := 0; i < *rounds || *rounds == 0 && cpuTime() < *cpu; i++ {
		program(i)
	}
	atExit()
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
