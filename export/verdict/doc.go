// Package verdict decides from timings, while they come, which of several versions of a function is faster, and stops when it is
// sure. It follows Lau, Arnold, Hind & Calder, "A loop correlation technique to improve performance auditing", section 2.
//
//	t := verdict.New(2, verdict.Options{Confidence: 0.99, Margin: 0.005})
//	for each timing { t.Add(version, ticks) }
//	r := t.Result() // r.Outcome == verdict.Faster, r.Best == 1, r.Pairs[0].Effect == -0.048, .Low == -0.06, .High == -0.036
//
// Which version a call gets is random and known to have no other cause. Everything rests on this. Timings may have any
// distribution, drift, and depend on each other and on the input, as long as they do so whatever the version. There are three
// steps.
//
// Outliers. Garbage collections, preemption and migration add to few timings as much as hundreds of others are long. A timing
// above a percentile of recent ones, of all versions together, counts as that percentile (it is winsorised). The percentile is
// the 95th or 99th, by which an effect stands out more. Versions that differ in what is above the percentile are not "the
// same" as long as the means of all timings are not. No version is faster if the means of all timings say the opposite with
// the same confidence.
//
// Batches. Consecutive timings make a batch as soon as there are four of each version. Batches are compared by their means for
// each version. So what drifts (frequency, other load, the program's phases) is the same for all, and what is summed is near to a
// normal distribution.
//
// Sequence. To look after each timing and to stop when the evidence is enough would make a test wrong far more often than it
// says. A confidence sequence is used. It is an interval that is right at all times at once with the given probability, and so at
// the time of the last look. The sequence is the normal mixture of Robbins with estimated variance. It is theorem 2.2 of
// Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas, "Time-uniform central limit theory and asymptotic confidence sequences" (Annals
// of Statistics 52, 2024). The sequence is the mSPRT of Johari, Koomen, Pekelis & Walsh ("Peeking at A/B tests", KDD 2017) turned
// into an interval. For the ratio of two means it is inverted as Fieller has it. The ratios r are in the interval for which the
// mean of b-r·a is not told from 0. Several versions share the probability of error evenly among their pairs (Bonferroni).
//
// A version is faster if the whole interval is beyond the margin, and two are the same if the whole of it is within. The margin
// is a share of the time and at least what the clock can tell. An endless audit would else find the fraction of a nanosecond that
// the place of a function in memory makes.
//
// Not handled: effects of a call on the next one's time, which all versions share. A version may leave garbage behind, or caches
// in another state. Nor are differences that are only in the rarest calls.
package verdict
