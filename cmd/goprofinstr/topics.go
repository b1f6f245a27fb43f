package main

import "github.com/goprofinstr/goprofinstr/sampler/stream"

// A topic is something to get help on that is no command.
type topic struct{ name, short, text string }

var topics = []topic{
	{"sampler", "what -sampler of wrap takes", samplerText},
}

const samplerText = `The flag -sampler of goprofinstr wrap says which path ends are samples.

With -mode sampled there is a tick each 10 ms of CPU time (-period), and of the path ends after it

	pep(64,17)      64 in a row, after skipping up to 16 (the default)
	ag(64,17)       64, one in 17
	timer           the first

are samples (Bond & McKinley, Continuous path and edge profiling). What a program does in between costs little, and is estimated.

With -mode stratified functions with up to 65536 paths are counted (-count-up-to). The path ends of others are a stream of events, and samples are

` + stream.Grammar + `
(Sastry, Bodík & Smith, Rapid profiling via stratified sampling). The default is H[P256]2048. It and P256 are code in line, and sample
each thread by itself; others take a call for each event, and are there to be compared. With H[P…]… and P… the first event of each stratum is a
sample, and the samples of a stratum stand for all events of it: estimates add up to the number of path ends, whatever ends the
program. A path that has a stratum for itself is exact. More strata are better and take memory, 4 bytes each for each thread; a lower rate
is better and slower. -count-up-to 0 samples everything. Paths that share a stratum and come in turn are told apart by a prime rate, such as 257, or by B. What was not
seen may have been executed all the same, and callers are not known.
`
