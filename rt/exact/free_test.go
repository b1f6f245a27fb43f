package exact

import (
	"testing"

	"github.com/goprofinstr/goprofinstr/rt/internal/outside"
)

// preempted calls what runtime.go.txt has as the scheduler does for goroutines that are all preempted at a time.
const preempted = `package main

import "unsafe"

type mutex struct{}

func lock(*mutex)   {}
func unlock(*mutex) {}

type m struct {
	g0   *g
	curg *g
}

type g struct {
	m              *m
	goprofinstr    goprofinstr_g
	asyncSafePoint bool
}

var this = func() *g {
	mp := &m{g0: new(g), curg: new(g)}
	mp.g0.m, mp.curg.m = mp, mp
	return mp.curg
}()

func getg() *g             { return this }
func systemstack(f func()) { f() }
func stopTheWorld(int) int { return 0 }
func startTheWorld(int)    {}

const stwGoroutineProfile = 0

var (
	firstmoduledata struct{ noptrbss, enoptrbss uintptr }
	memstats        struct{ other_sys int }
	memory          [][]uintptr
	made            uintptr
)

func persistentalloc(size, _ uintptr, _ *int) unsafe.Pointer {
	words := make([]uintptr, size/unsafe.Sizeof(size))
	memory = append(memory, words)
	return unsafe.Pointer(&words[0])
}

func main() {
	const n = 10_000
	goprofinstr_useShards(func() uintptr {
		made++
		return made
	})
	for range 3 {
		counts := make(map[uintptr]bool)
		var all []*g
		for range n {
			gp := &g{m: this.m}
			goprofinstr_running(gp, this.m)
			goprofinstr_preempted(gp)
			gp.asyncSafePoint = true
			goprofinstr_dropped(gp)
			counts[gp.goprofinstr.shard] = true
			all = append(all, gp)
		}
		if len(counts) != n {
			println(n, "goroutines count in", len(counts), "shards")
		}
		for _, gp := range all {
			gp.asyncSafePoint = false
			goprofinstr_dropped(gp)
		}
	}
	if made != n+1 {
		println(made, "shards were made, want", n+1)
	}
}
`

// TestFreeShards has more goroutines be preempted at a time than there is room for first, again and again.
func TestFreeShards(t *testing.T) {
	outside.Run(t, preempted, "runtime.go.txt")
}
