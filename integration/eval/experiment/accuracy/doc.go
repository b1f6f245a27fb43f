// Package accuracy compares profiles from samples with exact ones of the same work, by the measures of
// integration/eval/accuracy: eval accuracy for many samplers, eval converge for one after several times, eval scale
// for the sum of estimates and for the outcomes that they miss, with other programs running beside, and eval intervals
// for their intervals.
//
// # Not handled
//
// Intervals of the time of a call: of benchmarks the truth is not known. Eval service knows it.
package accuracy
