package sampled

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/rt/tick"
)

// A Switch says what the probes of a function do. It is a variable of the function's package. Tests of two
// bools cost less in package inline's measure than those of a number with three values: see Sample.
type Switch struct {
	On      bool // probes note path ends
	counted bool // and count them
}

// Pad is how many Switches there are before those of a package, and after them. So these are on cache lines of their
// own: nobody writes there but at ticks.
const Pad = 32

// A Function is where the paths of a function are.
type Function struct {
	First U   // pair of counters of path 0; where the next function with counters has it, if there is a Hash
	Paths U   // 0: they are in a Hash
	Hash  int // its number
}

// Functions are those of a package, in the order of their counters.
type Functions struct {
	Switches *Switch
	List     *Function
	N        int
	Counters *U // pair 0
	Hashes   *rt.Hash

	base  U // number of the first in the program
	words *U
	next  *Functions // of the program, so that a garbage collector keeps them
}

const (
	// mostFunctions is how many functions there can be that are counted or sampled. This is memory that is not there before
	// it is used.
	mostFunctions = 1 << 18
	mostPackages  = 1 << 12
)

// program has the packages with sampled functions, by the addresses of their counters, and of their hash tables.
var program struct {
	counters, hashes [mostPackages]uintptr // addresses: a garbage collector would read as many pointers each time
	n                int
	first            *Functions // of all, by next
	functions        U
	recent           struct { // function that was found last
		from, to uintptr
		number   U
	}
}

// UseFunctions has the functions of a package be counted. It returns 0.
//
//go:norace
func UseFunctions(f *Functions) U {
	w := &program
	if tick.Sampling.Record == nil || f.N == 0 {
		return 0
	}
	if !f.describe() {
		runfile.Lose() // all of their path ends, or they would seem to have none
		return 0
	}
	for !tick.Sampling.TryLock() { // whoever has the lock is in a signal handler, and soon done
	}
	if w.n < mostPackages && w.functions+U(f.N) <= mostFunctions {
		f.base = w.functions
		insert(w.counters[:w.n+1], f, func(f *Functions) uintptr { return uintptr(unsafe.Pointer(f.Counters)) })
		insert(w.hashes[:w.n+1], f, func(f *Functions) uintptr { return uintptr(unsafe.Pointer(f.Hashes)) })
		f.next, w.first = w.first, f
		w.n++
		w.functions += U(f.N)
		for i := range f.N {
			counting.switches[f.base+U(i)] = uintptr(unsafe.Pointer(f.switchOf(i)))
			counting.words[f.base+U(i)] = uintptr(unsafe.Pointer(sys.Word(f.words, U(i))))
			*f.switchOf(i) = Switch{On: true, counted: true}
		}
	} else {
		for i := range f.N {
			*sys.Word(f.words, U(i)) |= runfile.SiteSampled // as far as anybody knows
		}
	}
	tick.Sampling.Unlock()
	return 0
}

//go:norace
func (f *Functions) switchOf(i int) *Switch {
	return (*Switch)(unsafe.Add(unsafe.Pointer(f.Switches), uintptr(i)*unsafe.Sizeof(Switch{})))
}

//go:norace
func (f *Functions) function(i int) *Function {
	return (*Function)(unsafe.Add(unsafe.Pointer(f.List), uintptr(i)*unsafe.Sizeof(Function{})))
}

// describe writes the functions to the run file, and reports whether it could.
//
//go:norace
func (f *Functions) describe() bool {
	const before = U(unsafe.Sizeof(runfile.FunctionRecord{}))
	n := U(f.N)
	head, _ := runfile.NewRecord(runfile.KindFunctions, sys.RoundUp(before+n*8, runfile.Page))
	if head == nil {
		return false
	}
	record := (*runfile.FunctionRecord)(unsafe.Pointer(head))
	record.Region, record.RegionSize, record.Number = before, n*8, n
	f.words = (*U)(unsafe.Add(unsafe.Pointer(record), before))
	for i := range f.N {
		from, _ := f.place(i)
		*sys.Word(f.words, U(i)) = U(from)
	}
	record.Publish()
	return true
}

// place returns from where to where a function has its counters, or the address of its Hash with the bit that says so.
//
//go:norace
func (f *Functions) place(i int) (from, to uintptr) {
	fn := f.function(i)
	if fn.Paths == 0 {
		at := uintptr(unsafe.Pointer(f.hash(fn))) | isHash
		return at, at + 1
	}
	from = uintptr(unsafe.Pointer(Pair(f.Counters, fn.First)))
	return from, from + uintptr(fn.Paths)*16
}

// hash returns the Hash of a function that has one.
//
//go:norace
func (f *Functions) hash(fn *Function) *rt.Hash {
	return (*rt.Hash)(unsafe.Add(unsafe.Pointer(f.Hashes), uintptr(fn.Hash)*runfile.HashSize))
}

// insert inserts a package into a list in which there is room for one more, by some address.
//
//go:norace
func insert(list []uintptr, f *Functions, address func(*Functions) uintptr) {
	i := len(list) - 1
	for ; i > 0 && address(functionsAt(list[i-1])) > address(f); i-- {
		list[i] = list[i-1]
	}
	list[i] = uintptr(unsafe.Pointer(f))
}

// functionsAt returns the package's functions that are at an address in the program's lists.
//
//go:norace
func functionsAt(address uintptr) *Functions { return (*Functions)(sys.Pointer(address)) }

// noFunction is no function's number.
const noFunction = 1<<64 - 1

// functionOf returns the number of the function that a path end is of.
//
//go:norace
func functionOf(e *ended) U {
	w, at := &program, e.at
	if at >= w.recent.from && at < w.recent.to {
		return w.recent.number
	}
	f := packageOf(at)
	if f == nil {
		return noFunction
	}
	k := f.find(at)
	if k < 0 {
		return noFunction
	}
	w.recent.from, w.recent.to = f.place(k)
	w.recent.number = f.base + U(k)
	return w.recent.number
}

// packageOf returns the package that has a counter or a Hash; or nil.
//
//go:norace
func packageOf(at uintptr) (found *Functions) {
	w := &program
	low, high := 0, w.n
	for low < high {
		middle := (low + high) / 2
		f := functionsAt(w.counters[middle])
		from := uintptr(unsafe.Pointer(f.Counters))
		if at&isHash != 0 {
			f = functionsAt(w.hashes[middle])
			from = uintptr(unsafe.Pointer(f.Hashes))
		}
		if from > at {
			high = middle
		} else {
			found, low = f, middle+1
		}
	}
	return found
}

// find returns the function that has a counter or a Hash, by its number in the package; -1 if there is none.
//
//go:norace
func (f *Functions) find(at uintptr) int {
	low, high := 0, f.N
	if at&isHash != 0 {
		for ; low < high; low++ { // they are few
			if from, _ := f.place(low); from == at {
				return low
			}
		}
		return -1
	}
	pair := U(at-uintptr(unsafe.Pointer(f.Counters))) / 16
	for low < high {
		if middle := (low + high) / 2; f.function(middle).First > pair {
			high = middle
		} else {
			low = middle + 1
		}
	}
	for low--; low >= 0 && f.function(low).Paths == 0; low-- { // those with a Hash have no counters
	}
	if low < 0 || pair >= f.function(low).First+f.function(low).Paths {
		return -1
	}
	return low
}
