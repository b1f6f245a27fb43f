package show

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// LeastSamples is how many samples there have to be for a number to be made of them. The number of fewer is off by a
// factor of two every now and then.
const LeastSamples = 8

// Unknown stands for a number or a share of which too few samples tell.
const Unknown = "?"

// An Estimate is a number that is known from samples.
type Estimate struct {
	N         int64
	Samples   int64
	Exact     int64 // of N, which were counted
	Low, High int64 // 95 of 100 times it is between these; both N if that is not known
	Open      bool  // nothing tells how many more than Exact there are, besides Samples

	// Off is how far off N may be besides what Samples tell, where Low and High are not known: the standard deviation of a
	// logarithm.
	Off float64
}

// Few reports whether e rests on too few samples for a number. A tenth that is not known of something that was counted
// does no harm. A half may be ten times as much. Of a handler that was called 120,000 times 6,600 calls were counted and
// one was in a window, and the estimate was 8,570.
func (e Estimate) Few() bool { return e.Samples < LeastSamples && (e.Open || e.Exact < e.N-e.N/10) }

// Interval returns between which numbers e is, rounded to what is known of them. Where only the samples are known it is
// that of as many independent ones, which is the least that can be, and of Off.
func (e Estimate) Interval() (low, high int64) {
	low, high = e.Low, e.High
	switch known := low != e.N || high != e.N; {
	case !known && e.Off > 0:
		by := math.Exp(1.96 * math.Sqrt(1/float64(max(e.Samples, 1))+e.Off*e.Off))
		low, high = int64(float64(e.N)/by), int64(math.Ceil(math.Min(float64(e.N)*by, math.MaxInt64/4)))
	case !known:
		off := float64(e.N) * 1.96 / math.Sqrt(float64(max(e.Samples, 1)))
		low, high = max(0, e.N-int64(off)), e.N+int64(math.Ceil(off))
	}
	unit := unitOf(low, high)
	down := min(unit, leading(low))
	return low / down * down, (high + unit - 1) / unit * unit
}

// String returns e with the digits that are known and at least one. Of fewer samples than LeastSamples it is no less than
// what was counted, "≥549", or Unknown. A word such as "few" would be taken for few executions, and there may be
// millions.
func (e Estimate) String() string {
	if e.Few() {
		return e.least()
	}
	return "~" + Count(e.rounded())
}

func (e Estimate) least() string {
	if e.Exact == 0 {
		return Unknown
	}
	return "≥" + Count(e.Exact)
}

func (e Estimate) rounded() int64 {
	unit := min(unitOf(e.Interval()), leading(e.N))
	return (e.N + unit/2) / unit * unit
}

// Range returns "120 samples, 95% sure: 700 to 1,100".
func (e Estimate) Range() string {
	samples := Plural(int(e.Samples), "sample")
	if e.Few() && e.Exact > 0 {
		return "what was counted; " + samples + " of the rest, too few for a number"
	}
	if e.Few() {
		return samples + ", too few for a number"
	}
	low, high := e.Interval()
	return samples + ", 95% sure: " + Count(low) + " to " + Count(high)
}

// leading returns what the first digit of n stands for.
func leading(n int64) int64 {
	unit := int64(1)
	for n/unit >= 10 {
		unit *= 10
	}
	return unit
}

// unitOf returns the power of ten in which a number is known that is between two others. It is the largest one that is
// no more than half of their difference.
func unitOf(low, high int64) int64 {
	unit := int64(1)
	for unit <= math.MaxInt64/100 && 10*unit <= (high-low)/2 {
		unit *= 10
	}
	return unit
}

// Share returns 100×n/of with the digits that are known if n was estimated from so many samples. It has one decimal where
// it is off by less than a point, 95 of 100 times. Share returns Unknown of fewer samples than LeastSamples.
func Share(n, of, samples int64) string {
	if of <= 0 {
		return "-"
	}
	if samples < LeastSamples {
		return Unknown
	}
	share := float64(n) / float64(of)
	off := 1.96 * share * math.Sqrt(max(0, 1-share)/float64(samples))
	return ShareWithin(share, share-off, share+off)
}

// ShareWithin returns 100×share with the digits that are known if it is between two others. It has one decimal where it is
// off by less than a point.
func ShareWithin(share, low, high float64) string {
	off := 100 * (high - low) / 2
	switch {
	case off < 1:
		return about(share)
	case off < 10:
		return "~" + strconv.FormatFloat(100*share, 'f', 0, 64) + "%"
	}
	return "~" + strconv.FormatFloat(10*math.Round(10*share), 'f', 0, 64) + "%"
}

// about returns a share with one decimal, "<0.1%" and ">99.9%".
func about(share float64) string {
	const parts = 1_000_000
	n := int64(share * parts)
	if share > 0 {
		n = max(n, 1)
	}
	text := Percent(n, parts)
	if strings.ContainsAny(text, "<>") {
		return text
	}
	return "~" + text
}

// Duration returns e, in nanoseconds, with the digits that are known.
func (e Estimate) Duration() time.Duration { return time.Duration(e.rounded()) }

// Durations returns "2ms–4ms", between which times e is, in nanoseconds.
func (e Estimate) Durations() string {
	low, high := e.Interval()
	if e.High > math.MaxInt64/2 {
		return "from " + time.Duration(low).String()
	}
	return time.Duration(low).String() + "–" + time.Duration(high).String()
}

// AtLeast returns a number that is no more than n, with its first digit: "≥400,000".
func AtLeast(n int64) string {
	if n <= 0 {
		return Unknown
	}
	unit := leading(n)
	return "≥" + Count(n/unit*unit)
}

// AtMost returns a percentage that is no less than a share: "≤66%", "≤0.3%".
func AtMost(share float64) string {
	percent := min(100*share, 100)
	if percent >= 10 {
		return "≤" + strconv.FormatFloat(math.Ceil(percent), 'f', 0, 64) + "%"
	}
	return "≤" + strconv.FormatFloat(max(math.Ceil(10*percent), 1)/10, 'f', 1, 64) + "%"
}
