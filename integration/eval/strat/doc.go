// Package strat has the experiments of Sastry, Bodík & Smith, "Rapid profiling via stratified sampling" (ISCA-28, 2001), here STRAT, on the
// compressors of package sampler/stream.
package strat
