// Traces prints where it is in every way that there is.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"sort"
	"strings"
)

var die = flag.Bool("die", false, "end in a panic")

// here returns the frames of its callers.
func here() string {
	pcs := make([]uintptr, 20)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	var b strings.Builder
	for {
		f, more := frames.Next()
		fmt.Fprintf(&b, " %s:%d %s;", f.File, f.Line, f.Function)
		if !more {
			return b.String()
		}
	}
}

func inlined(a, b bool, n int) string {
	if a && (b ||
		n > 3) || n == 2 {
		return here()
	}
	return "none" + here()
}

func generic[T any](list []T, keep func(T) bool) (n int) {
	for _, x := range list {
		if keep(x) && keep(x) {
			n++
		}
	}
	return n
}

type thing struct {
	next *thing
	name string
}

func (t *thing) last() *thing {
	for t.next != nil {
		t = t.next
	}
	return t
}

func (t thing) String() string { return t.name + here() }

var global = func() string {
	if s := here(); s != "" {
		return s
	}
	return ""
}()

func init() { fmt.Println("init", inlined(true, false, 5)) }

// caught calls f and returns the stack of its panic.
func caught(f func()) (stack string) {
	defer func() {
		if e := recover(); e != nil {
			stack = fmt.Sprint(e, "\n", string(debug.Stack()))
		}
	}()
	f()
	return ""
}

func divide(a, b int) int { x := a / b; y := b / a; return x % y / (a - 2) }

func fail(kind string, n int, list []int, t *thing, x any) int {
	switch {
	case kind == "divide" && n < 1, kind == "modulo":
		return divide(1, n) + divide(n, 1)
	case kind == "index":
		return list[n] + list[n+1]
	case kind == "nil":
		return len(t.last().name)
	case kind == "assert":
		return x.(int)
	case kind == "shift":
		return 1 << n >> (n - 1)
	case kind == "map":
		var m map[string]int
		m["a"] = n
	}
	panic(errors.New(kind))
}

//go:noinline
func deep(n int, f func()) {
	defer func() { n++ }()
	if n > 0 {
		deep(n-1, f)
		return
	}
	f()
}

func wait(c chan bool) {
	select {
	case <-c:
	case c <- true:
	}
}

func main() {
	flag.Parse()
	logger := log.New(os.Stdout, "", log.Llongfile)
	logger.Print("log")
	fmt.Println(global)
	for i := range 4 {
		fmt.Println(i, inlined(i > 1, i%2 == 0, i))
	}
	fmt.Println(generic([]int{1, 2, 3}, func(n int) bool { return n > 1 && strings.Contains(here(), "generic") }))
	fmt.Println(thing{name: "t"}, reflect.ValueOf(thing{name: "r"}).MethodByName("String").Call(nil)[0])
	words := []string{"b", "a"}
	sort.Slice(words, func(i, j int) bool { fmt.Println(here()); return words[i] < words[j] })
	for _, kind := range []string{"divide", "modulo", "index", "nil", "assert", "shift", "map", "other"} {
		fmt.Println(kind, caught(func() { fail(kind, -len(words)+2-len(kind)%2, nil, nil, kind) }))
	}
	generated(words)
	for _, f := range []any{main, here, inlined, divide, generic[string], (*thing).last, thing.String, func() { here() }} {
		fn := runtime.FuncForPC(reflect.ValueOf(f).Pointer())
		file, line := fn.FileLine(fn.Entry())
		fmt.Println(fn.Name(), file, line)
	}
	c := make(chan bool)
	go wait(c)
	for buf := make([]byte, 1<<16); !strings.Contains(string(buf[:runtime.Stack(buf, true)]), "[select"); {
		runtime.Gosched()
	}
	deep(3, func() {
		if err := pprof.Lookup("goroutine").WriteTo(os.Stdout, 2); err != nil && *die {
			panic(err)
		}
	})
	if *die {
		deep(2, func() { fail("index", 2, []int{1}, nil, nil) })
	}
}
