// Package accuracy compares profiles from samples with exact ones of the same work, by the measures of
// integration/eval/accuracy. eval accuracy does so for many samplers, eval converge for one after several times. eval
// scale is for the sum of estimates and for the outcomes that they miss, with other programs running beside. eval
// intervals is for their intervals.
//
// # Not handled
//
// Intervals of the time of a call: of benchmarks the truth is not known. Eval service knows it.
package accuracy
