// Package strat has the experiments of Sastry, Bodík & Smith, "Rapid profiling via stratified sampling"
// (ISCA-28, 2001), here STRAT, on the compressors of package sampler/stream.
//
//   - [MonteCarlo]: the error of an estimated frequency against the length of a random stream (figure 4);
//   - [Stream.Progress]: how many messages a compressor has made of a real stream, and how good the profile of these is (figures
//     7 to 11), by
//   - [Stream.Error], STRAT's error of the invariance of values (5.3.1), and
//   - [Stream.Distance], which takes all tuples as they are.
//
// # Example
//
// A site was executed 2000 times, with value a 1000 times, b 900 times and c 100 times. The estimate has 4
// messages for a and 4 for b. The invariances of a and b are 0.5 and 0.45; c has 0.05, which is too little
// to be of interest. In the estimate they are 0.5 both. So the error is (1000×|0.5−0.5| + 900×|0.45−0.5|) /
// 1900 = 0.024, and the distance 1 − (0.5 + 0.45) = 0.05.
//
// # Not handled
//
// Overhead: STRAT has 30 cycles for each message, in a model. Here messages are counted, and time is measured
// elsewhere.
package strat
