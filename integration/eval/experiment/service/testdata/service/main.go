// Service answers four kinds of requests until its standard input ends. It prints its address first and then, when it
// is done, how often each kind was served and what CPU time that took, as it has measured itself.
//
// What the i-th request of a kind does depends on i alone, so that the same requests do the same work, in any order.
// Some conditions are true for one request in a hundred, or in a thousand.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// A kind has what the service has measured of one kind of requests.
type kind struct{ Calls, Nanoseconds atomic.Int64 }

var reports, products, searches, prices kind

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(listener.Addr())
	mux := http.NewServeMux()
	mux.HandleFunc("/report", serveReport)
	mux.HandleFunc("/product", serveProduct)
	mux.HandleFunc("/search", serveSearch)
	mux.HandleFunc("/price", servePrice)
	server := &http.Server{Handler: mux}
	go server.Serve(listener)
	io.Copy(io.Discard, os.Stdin)
	server.Shutdown(context.Background())
	own := make(map[string][2]int64)
	for name, k := range map[string]*kind{
		"report": &reports, "product": &products, "search": &searches, "price": &prices,
	} {
		own[name] = [2]int64{k.Calls.Load(), k.Nanoseconds.Load()}
	}
	json.NewEncoder(os.Stdout).Encode(own)
}

func serveReport(w http.ResponseWriter, r *http.Request) {
	answer(w, reports.measure(report, number(r)))
}

func serveProduct(w http.ResponseWriter, r *http.Request) {
	answer(w, products.measure(product, number(r)))
}

func serveSearch(w http.ResponseWriter, r *http.Request) {
	answer(w, searches.measure(search, number(r)))
}

func servePrice(w http.ResponseWriter, r *http.Request) { answer(w, prices.measure(price, number(r))) }

// measure calls f, and adds the CPU time of its thread.
func (k *kind) measure(f func(int) int, i int) int {
	runtime.LockOSThread()
	begin := cpuTime()
	n := f(i)
	k.Nanoseconds.Add(cpuTime() - begin)
	runtime.UnlockOSThread()
	k.Calls.Add(1)
	return n
}

// cpuTime returns the CPU time of the thread in ns.
func cpuTime() int64 {
	const threadCPU = 3 // CLOCK_THREAD_CPUTIME_ID
	var t syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadCPU, uintptr(unsafe.Pointer(&t)), 0)
	return t.Nano()
}

// number returns which request of its kind this one is.
func number(r *http.Request) int {
	i, err := strconv.Atoi(r.URL.RawQuery)
	if err != nil {
		return 0
	}
	return i
}

func answer(w http.ResponseWriter, n int) { fmt.Fprintln(w, n) }

// report sums up all items, some 1.4 ms.
//
//go:noinline
func report(i int) int {
	total := 0
	for k := range 200_000 {
		total += sale(i + k)
	}
	if i%100 == 7 {
		total += adjust(i)
	}
	return total
}

//go:noinline
func sale(k int) int {
	x := uint32(k) * 2654435761
	for range 8 {
		x ^= x >> 13
		if x&3 == 0 {
			x += 7
		}
	}
	return int(x >> 16)
}

//go:noinline
func adjust(i int) int { return i / 3 }

// product parses a document, some 180 µs.
//
//go:noinline
func product(i int) int {
	text := document(i)
	n := scan(text)
	if i%200 == 11 && n > 0 {
		n = -n
	}
	var doc struct {
		Items []struct{ Price int }
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		return -1
	}
	return n + len(doc.Items)
}

// document returns a document of JSON.
func document(i int) string {
	var b strings.Builder
	b.WriteString(`{"items": [`)
	for k := range 300 {
		if k > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, `{"name": "item %d", "price": %d}`, k, (i+k)%97)
	}
	b.WriteString("]}")
	return b.String()
}

// scan returns the depth of text times its tokens.
//
//go:noinline
func scan(text string) int {
	tokens, depth, deepest, quoted := 0, 0, 0, false
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
			tokens++
		case quoted:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		case c >= '0' && c <= '9':
			tokens++
		}
	}
	return tokens * deepest
}

var titles = func() []string {
	words := strings.Fields("a simple path through the program is what it executes from one loop to the next")
	var list []string
	for i := range 20_000 {
		list = append(list, words[i%len(words)]+" "+words[i*7%len(words)]+" "+words[i*i%len(words)])
	}
	return list
}()

var patterns = []string{"*path*", "*pro*ex*", "one*", "*the*loop", "s*e*is"}

// search matches a pattern with all titles, some 350 µs.
//
//go:noinline
func search(i int) int {
	found := 0
	for _, title := range titles {
		if match(patterns[i%len(patterns)], title) {
			found++
		}
	}
	if i%500 == 123 {
		found++
	}
	return found
}

// match reports whether text has the form of a pattern, in which * is for anything.
//
//go:noinline
func match(pattern, text string) bool {
	p, t, star, from := 0, 0, -1, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, t
			p++
		case p < len(pattern) && pattern[p] == text[t]:
			p++
			t++
		case star >= 0:
			from++
			p, t = star+1, from
		default:
			return false
		}
	}
	return p == len(pattern) || p == len(pattern)-1 && pattern[p] == '*'
}

// price is short, some 1.4 µs.
//
//go:noinline
func price(i int) int {
	n := i % 50
	for k := range 200 {
		n += rebate(n, k)
	}
	if i%1000 == 8 {
		n *= 2
	}
	if i%5000 == 99 {
		n--
	}
	return n
}

//go:noinline
func rebate(n, k int) int {
	if (n+k)%10 < 3 {
		return 2
	}
	return 1
}
