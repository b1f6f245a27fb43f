// Monitor works and sleeps in system calls by turns, so that the runtime's monitor wakes all the time. It prints the CPU
// time of the process and that of the monitor's thread, ns.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

func main() {
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			for used() < 1_500_000_000 {
				work()
				syscall.Nanosleep(&syscall.Timespec{Nsec: 200_000}, nil)
			}
		})
	}
	all.Wait()
	monitor := monitorTime()
	fmt.Println(used(), monitor)
}

var sum int

func work() {
	for i := range 100_000 {
		sum += i % 7
	}
}

// used returns the CPU time of the process.
func used() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// monitorTime returns the CPU time of the thread that was made first: the monitor's.
func monitorTime() int64 {
	names, err := filepath.Glob("/proc/self/task/*")
	if err != nil {
		panic(err)
	}
	var threads []int
	for _, name := range names {
		id, err := strconv.Atoi(filepath.Base(name))
		if err != nil {
			panic(err)
		}
		threads = append(threads, id)
	}
	slices.Sort(threads)
	text, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/schedstat", threads[1]))
	if err != nil {
		return 0 // the kernel keeps none
	}
	ns, err := strconv.ParseInt(strings.Fields(string(text))[0], 10, 64)
	if err != nil {
		panic(err)
	}
	return ns
}
