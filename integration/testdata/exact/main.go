// Exact runs the same few paths in many goroutines that the scheduler moves about between threads in all the ways it has, and
// prints how often it took each: a line for each function, with its name and the counts of its paths in increasing order.
//
//	exact [ROUNDS]
package main

import (
	"fmt"
	"iter"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// taken is what a goroutine has counted itself.
type taken struct {
	spins, a, b, c uint64 // calls of spin, and iterations of each kind
	ticks          uint64
}

var (
	mu    sync.Mutex
	total taken
)

func (t *taken) add() {
	mu.Lock()
	defer mu.Unlock()
	total.spins += t.spins
	total.a += t.a
	total.b += t.b
	total.c += t.c
	total.ticks += t.ticks
}

// spin has no call in its loop, so only signals preempt it.
func spin(t *taken, n int) {
	var a, b, c uint64
	for i := range n {
		if i&3 == 0 {
			a++
		} else if i%5 == 2 {
			b++
		} else {
			c++
		}
	}
	t.spins++
	t.a += a
	t.b += b
	t.c += c
}

// tick has one path.
func tick(t *taken) { t.ticks++ }

func main() {
	rounds := 2000
	if len(os.Args) > 1 {
		rounds, _ = strconv.Atoi(os.Args[1])
	}
	stop := make(chan bool)
	var collector sync.WaitGroup
	collector.Go(func() { collect(stop) })
	var wg sync.WaitGroup
	for g := range 64 {
		wg.Go(func() { work(g, rounds) })
	}
	wg.Wait()
	close(stop)
	collector.Wait()
	report()
}

// collect collects garbage all the time: it preempts every goroutine several times a cycle.
func collect(stop chan bool) {
	for {
		select {
		case <-stop:
			return
		default:
			runtime.GC()
		}
	}
}

func work(g, rounds int) {
	if g%8 == 0 {
		runtime.LockOSThread()
	}
	var t taken
	for i := range rounds {
		spin(&t, 1000+i%7)
		for range 100 {
			tick(&t)
		}
		switch i % 64 {
		case 1:
			systemCalls(&t)
		case 2:
			coroutine(&t)
		case 3:
			threadEnds()
		case 4:
			timer()
		case 5:
			runtime.Gosched()
		}
	}
	t.add()
}

// systemCalls makes one that is over at once and one during which others get the processor.
func systemCalls(t *taken) {
	var stat syscall.Stat_t
	syscall.Stat("/", &stat)
	spin(t, 50)
	pause := syscall.NsecToTimespec(100_000)
	syscall.Nanosleep(&pause, nil)
	spin(t, 50)
}

func coroutine(t *taken) {
	next, stop := iter.Pull(func(yield func(int) bool) {
		for i := 0; yield(i); i++ {
			spin(t, 500)
		}
	})
	for range 3 {
		next()
		spin(t, 500)
	}
	stop()
}

// threadEnds runs a goroutine that takes its thread with it.
func threadEnds() {
	done := make(chan bool)
	go func() {
		runtime.LockOSThread()
		var t taken
		spin(&t, 500)
		t.add()
		close(done)
	}()
	<-done
}

func timer() {
	done := make(chan bool)
	time.AfterFunc(time.Microsecond, func() {
		var t taken
		spin(&t, 500)
		t.add()
		close(done)
	})
	<-done
}

func report() {
	// The first iteration is of the first kind, on the path from the entry; another path leads out of the loop.
	t := &total
	counts := []uint64{t.spins, t.a - t.spins, t.b, t.c, t.spins}
	slices.Sort(counts)
	fmt.Println("spin", counts)
	fmt.Println("tick", []uint64{t.ticks})
}
