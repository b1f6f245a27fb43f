// Package accuracy compares profiles from samples with exact ones of the same work, by the measures of
// integration/eval/accuracy: eval accuracy for many samplers, eval converge for one after several times, and eval
// scale for the sum of estimates and for the outcomes that they miss, with other programs running beside.
package accuracy
