// Package tr is what generated programs call: it logs what they do, so that
// a program's own output tells which way control went.
//
// Every function of a generated program starts with a call of [Enter], which gives its activation a
// number. Every basic block calls [T] or [B] with that number and an id of its own. All other calls
// only have effects: they go into the hash that [Run] prints. [R] makes every later number depend
// on how often it was called before. So an evaluation too many, too few or out of order changes all
// that follows.
//
// The package is not safe for concurrent use: generated goroutines run one at a time.
package tr

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"os"
	"path/filepath"
	"runtime"
)

// TraceVar is the environment variable that names the file for the trace. The file is
// a sequence of (activation, 2*id+outcome), both as varints.
const TraceVar = "PROGEN_TRACE"

// Names for what generated programs may have redeclared.
type (
	Int    = int
	Bool   = bool
	String = string
	Any    = any
)

// True and False are the untyped constants.
const (
	True  = 1 == 1
	False = 1 == 0
)

var (
	activations int
	events      int
	random      uint64
	digest      = fnv.New64a()
	trace       *bufio.Writer
	unbuffered  bool
)

func init() {
	if name := os.Getenv(TraceVar); name != "" {
		f, err := os.Create(name)
		if err != nil {
			panic(err)
		}
		trace = bufio.NewWriter(f)
	}
}

// Enter starts an activation.
func Enter(id int) int {
	activations++
	event(activations, id, 0)
	return activations
}

// T logs that control comes by.
func T(act, id int) { event(act, id, 0) }

// B logs that control comes by with the value v, which it returns.
func B[V ~bool](act, id int, v V) V {
	if v {
		event(act, id, 1)
	} else {
		event(act, id, 0)
	}
	return v
}

// R returns the next pseudo-random number, below n.
func R(n int) int {
	random = random*6364136223846793005 + 1442695040888963407
	return int(random >> 33 % uint64(n))
}

// Q is true once in n times.
func Q(n int) bool { return R(n) == 0 }

// E makes v part of the hash and returns it.
func E[V any](v V) V {
	fmt.Fprintln(digest, v)
	R(2)
	return v
}

// Line makes the position of the caller part of the hash. Not its name: that of a function
// literal depends on what is inlined.
func Line() {
	_, file, line, _ := runtime.Caller(1)
	E(fmt.Sprint(filepath.Base(file), line))
}

// Keep uses values.
func Keep(...any) {}

// NotPanic is what a redeclared panic does.
func NotPanic(v any) { E(v) }

// Closed returns a closed channel of values.
func Closed(values ...int) chan int {
	c := make(chan int, len(values)+1)
	for _, v := range values {
		c <- v
	}
	close(c)
	return c
}

// Go runs f in a goroutine and waits for its end.
func Go(f func()) {
	done := make(chan bool)
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

// Try runs f; a panic in it becomes part of the hash.
func Try(f func()) {
	defer func() {
		if v := recover(); v != nil {
			E(fmt.Sprint("panic: ", v))
		}
	}()
	f()
}

// Say prints values.
func Say(values ...any) { fmt.Println(values...) }

// Run runs a package's functions and prints what they did.
func Run(name string, seed uint64, f func()) {
	random = seed
	digest.Reset()
	events = 0
	Try(f)
	fmt.Printf("%s: %d events, %016x\n", name, events, digest.Sum64())
	flush()
}

// Fatal makes the trace unbuffered: the program may end at any time.
func Fatal(seed uint64) {
	random = seed
	unbuffered = true
}

func flush() {
	if trace != nil {
		if err := trace.Flush(); err != nil {
			panic(err)
		}
	}
}

func event(act, id, outcome int) {
	events++
	var buf [2 * binary.MaxVarintLen64]byte
	b := binary.AppendUvarint(buf[:0], uint64(act))
	b = binary.AppendUvarint(b, uint64(2*id+outcome))
	digest.Write(b)
	if trace != nil {
		trace.Write(b)
		if unbuffered {
			flush()
		}
	}
}

// Closed2 returns a channel that n values can be sent to without waiting, at least one.
func Closed2(n int) chan int { return make(chan int, 1+n&3) }

// Never returns a channel that nothing is ever sent to.
func Never() chan int { return nil }

// Pull returns functions that take the values of seq one by one.
func Pull(seq func(yield func(int) bool)) (next func() (int, bool), stop func()) {
	return iter.Pull(seq)
}

// Exit ends the process.
func Exit(code int) { os.Exit(code) }

// Panic is panic by another name.
func Panic(v any) { panic(v) }

// Err returns an error.
func Err(s string) error { return errors.New(s) }
