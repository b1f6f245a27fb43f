// Program faults makes faults, which are SIGSEGV, as are those of path ends that are trapped for their contexts.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
)

type list struct {
	next *list
	n    int
}

func main() {
	switch os.Args[1] {
	case "panic":
		work(2_000_000)
		fmt.Println(length(nil))
	case "recover":
		fmt.Println(count(func() { length(nil) }))
	case "unmapped":
		debug.SetPanicOnFault(true)
		page := noAccess()
		fmt.Println(count(func() { page[0] = 0 }))
	case "fatal":
		page := noAccess()
		work(2_000_000)
		page[0] = 0
	case "notify":
		fmt.Println(notified())
	}
}

// count returns how often f panics with an error of the runtime's.
func count(f func()) (n int) {
	for range 1000 {
		func() {
			defer func() {
				if _, ok := recover().(runtime.Error); ok {
					n++
				}
			}()
			work(1000)
			f()
		}()
	}
	return n
}

func notified() (n int) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGSEGV)
	for range 100 {
		check(syscall.Kill(os.Getpid(), syscall.SIGSEGV))
		work(10_000)
		<-c
		n++
	}
	return n
}

func noAccess() []byte {
	page, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_NONE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	check(err)
	return page
}

func check(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(3)
	}
}

func length(l *list) int {
	n := l.n
	for ; l != nil; l = l.next {
		n++
	}
	return n
}

var sum int

// work has paths, all the time.
func work(n int) {
	for i := range n {
		sum += odd(i)
	}
}

//go:noinline
func odd(i int) int {
	if i%2 == 0 {
		return 0
	}
	return 1
}
