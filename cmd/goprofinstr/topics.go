package main

import "github.com/goprofinstr/goprofinstr/sampler/stream"

// A topic is what help says besides usage.
type topic struct{ name, short, text string }

var topics = []topic{
	{"sampler", "what wrap -sampler takes", samplerTopic},
}

const samplerTopic = `-sampler says how paths are sampled. With -mode sampled, after each tick of CPU time:

	pep(64,17)      64 path ends one after the other; up to 16 are skipped before, in turn
	ag(64,17)       64 path ends, each the 17th
	timer           one

With -mode stratified, all the time:

` + stream.Grammar + `
The fewer samples, the less it costs; the more strata, the more paths have one for themselves. With P the first sample
of a stratum comes after as many events as the rate is, with S at once or later, so that rare paths have their chance, too.
Paths that share a stratum and come in turn are told apart by a prime rate, such as 257, or by B.
`
