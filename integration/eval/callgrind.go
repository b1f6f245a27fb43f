package main

// underValgrind is for the environment of Go programs that run in valgrind: it cannot do with signals
// that a thread sends to another of its process, as the scheduler does to preempt goroutines.
const underValgrind = "GODEBUG=asyncpreemptoff=1"
