// Package phases alternates between loops whose paths take nanoseconds and loops whose paths take a hundred times as long. A sampler that
// takes as many samples in each tick sees as much of the slow phases as of the fast ones, though
// few paths end in them; and one that samples what runs when the timer fires sees the longest paths.
package phases

import (
	"crypto/sha256"
	"math"
)

// Scan is the fast phase: a path for each byte of text, by what it is and what has been before it. It returns the number of words
// and that of quoted letters.
func Scan(text []byte) (words, quoted int) {
	inWord, inQuote := false, false
	for _, c := range text {
		switch {
		case c == '"':
			inQuote = !inQuote
			inWord = false
		case c == ' ' || c == '\n':
			inWord = false
		default:
			if !inWord {
				words++
			}
			inWord = true
			if inQuote {
				quoted++
			}
		}
	}
	return words, quoted
}

// Price is the slow phase: a path for each item. What it takes is spent in packages that have no probes: from
// 0.1 to some microseconds.
func Price(items []Item) (total float64, sum byte) {
	for i, it := range items {
		p := math.Pow(1+it.Rate, it.Years)
		if it.Years > 20 {
			p *= math.Log1p(it.Rate) + math.Cbrt(p)
		}
		if it.Rate < 0.01 {
			p += math.Gamma(1 + it.Rate)
		} else if it.Fixed {
			p -= math.Erf(it.Rate)
		}
		if i%16 == 0 {
			digest := sha256.Sum256(it.Name[:])
			sum ^= digest[0]
		}
		total += p
	}
	return total, sum
}

// An Item is what Price takes.
type Item struct {
	Rate, Years float64
	Fixed       bool
	Name        [1024]byte
}
