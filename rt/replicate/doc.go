// Package replicate adds what the samples of windows stand for to the run file. Native and portable probes share it.
package replicate

// U is the type of counters.
type U = uint64
