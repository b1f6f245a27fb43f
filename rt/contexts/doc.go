// Package contexts finds out in what calling contexts CPU time is spent and paths end: PCCT sections 4 and 5. Package pcct
// has the tree.
//
// A tick is attached to the tree with its stack (signal.go). Where nobody sees what it has interrupted, it is attached with the
// stack of the next path end (monitor.go). Path ends that packages sampled and native look at are attached by path.go. What tells
// new activations from old ones is in words.go and fresh.go, and what functions an address is in, inlined ones among them, in
// location.go. Which path ends are looked at, and what they stand for, is not said here.
//
// All of this runs in signal handlers, of one thread at a time: whoever calls it holds tick.Sampling.
//
// What is said here and what stack.go.txt adds to package runtime belong together.
package contexts

// U is the type of counters, path registers and path numbers.
type U = uint64
