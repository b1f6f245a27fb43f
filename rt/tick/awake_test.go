package tick

import (
	"testing"

	"github.com/goprofinstr/goprofinstr/rt/internal/outside"
)

// visits calls what awake.go.txt has as the runtime's monitor and other threads do.
const visits = `package main

const ms = 1_000_000

var now int64 = 5 * ms

func nanotime() int64 { return now }

// check compares the time since another one with what it should be.
func check(what string, since, want int64) {
	if got := goprofinstr_awake() - since; got != want {
		println(what, got/ms, "ms, want", want/ms)
	}
}

func main() {
	began := goprofinstr_awake()
	now += 3 * ms
	check("before the first visit", began, 3*ms)
	for range 10 {
		goprofinstr_visit(now)
		now += 10 * ms
	}
	check("while goroutines run", began, 103*ms)
	goprofinstr_visit(now)
	now += 60_000 * ms
	check("when one runs again", began, 123*ms)
	goprofinstr_visit(now)
	check("when the monitor has seen that", began, 123*ms)
	now += 7 * ms
	check("after that", began, 130*ms)

	done, was := make(chan bool), goprofinstr_awake()
	go func() {
		for range 100_000 {
			goprofinstr_visit(now)
		}
		done <- true
	}()
	for range 100_000 {
		if time := goprofinstr_awake(); time < was {
			println("time goes back by", was-time)
		}
	}
	<-done
	check("the clock standing still", was, 0)
}
`

// TestAwake has the clock of the monitor run outside of package runtime.
func TestAwake(t *testing.T) {
	outside.Run(t, visits, "awake.go.txt", "internal/runtime/atomic", "sync/atomic")
}
