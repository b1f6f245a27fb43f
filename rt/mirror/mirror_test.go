package mirror

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/internal/outside"
	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// words are outside of the heap, as in programs.
var words, kept1 [5]U

func TestCopy(t *testing.T) {
	defer func() { list = nil }()
	other, keptOther := U(7), U(7)
	words[0], kept1[0] = 1, 1
	Keep(&words[0], &kept1[0], 3)
	Keep(&other, &keptOther, 1)
	for i := range words {
		words[i]++
	}
	other--
	if !Copy() {
		t.Fatal("nothing copied")
	}
	if want := []U{2, 1, 1, 0, 0}; !slices.Equal(kept1[:], want) || keptOther != 6 {
		t.Errorf("%d, %d: want %d, 6", kept1, keptOther, want)
	}
}

func TestCopyOnce(t *testing.T) {
	defer func() { list, busy = nil, 0 }()
	var from, to U
	Keep(&from, &to, 1)
	from, busy = 1, 1
	if Copy() || to != 0 {
		t.Error("copied while another thread does")
	}
	busy = 0
	if !Copy() || to != 1 {
		t.Error("not copied")
	}
}

// TestCopyLast copies at exit, when another thread does, which ends or does not.
func TestCopyLast(t *testing.T) {
	defer func() { list, busy = nil, 0 }()
	var from, to U
	Keep(&from, &to, 1)
	from, busy = 1, 1
	if CopyLast() || to != 0 {
		t.Error("copied while another thread does")
	}
	ended := make(chan bool)
	go func() {
		sys.Store64(&busy, 0)
		close(ended)
	}()
	if !CopyLast() || to != 1 {
		t.Error("not copied when the other has ended")
	}
	<-ended
}

// TestUnchanged copies to words that cannot be written, which are those that have not changed.
func TestUnchanged(t *testing.T) {
	defer func() { list = nil }()
	text := "8 bytes." // read-only
	var from U
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&from)), 8), text)
	Keep(&from, (*U)(unsafe.Pointer(unsafe.StringData(text))), 1)
	if !Copy() {
		t.Error("nothing copied")
	}
}

// monitor calls what runtime.go.txt has as the runtime's monitor does.
const monitor = `package main

const (
	ms      = 1_000_000
	longest = 60_000 * ms
)

var now int64

func nanotime() int64 { return now }

func osyield() {}

func main() {
	copied, copies := int64(-1), 0
	goprofinstr_onMirror(func() bool { copied, copies = now, copies+1; return true })
	wakes := 0
	for now < 10*longest { // all goroutines wait
		sleep := goprofinstr_idle(now, longest)
		if sleep == longest && copied != now {
			println("at", now, "the last copy was at", copied)
		}
		now += sleep
		goprofinstr_copying(now)
		now += 10 * ms
		wakes++
	}
	if wakes > 50 || copies > 50 {
		println(wakes, "wakes and", copies, "copies in ten minutes without a goroutine")
	}
	copies = 0
	for end := now + longest; now < end; now += ms { // one runs every other millisecond
		goprofinstr_idle(now, longest)
		now += ms
		goprofinstr_copying(now)
	}
	if copies < 500 || copies > 1300 {
		println(copies, "copies in a minute with a goroutine that runs now and then")
	}
}
`

// TestIdle has the monitor's half run outside of package runtime, with a clock of its own.
func TestIdle(t *testing.T) { outside.Run(t, monitor, "runtime.go.txt") }

var mebibyte struct{ from, to [1 << 17]U }

func BenchmarkCopyUnchanged(b *testing.B) {
	defer func() { list = nil }()
	Keep(&mebibyte.from[0], &mebibyte.to[0], U(len(mebibyte.from)))
	b.SetBytes(int64(len(mebibyte.from) * 8))
	for b.Loop() {
		Copy()
	}
}
