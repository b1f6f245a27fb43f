// Package accuracy compares profiles from samples with exact ones of the same work, by the measures of
// integration/eval/accuracy: eval accuracy for many samplers, eval converge for one after several times, and eval
// scale for the sum of estimates and for the outcomes that they miss, with other programs running beside,
// and eval intervals for their intervals. Whether those of the time of a call hold the truth is not asked: of benchmarks
// it is not known. Eval service knows it.
package accuracy
