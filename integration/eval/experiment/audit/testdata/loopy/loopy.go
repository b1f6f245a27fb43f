// Package loopy has functions that loop long and are called rarely, each with a variant that does the same in another way: the pairs on
// which audits by calls and by loops must agree. The work of one call takes some ten milliseconds.
package loopy

import (
	"bytes"
	"math"
	"slices"
	"sort"
	"strings"
)

// Multiply adds a·b to c, square matrices in rows of n.
func Multiply(c, a, b []float64, n int) {
	for i := 0; i < n; i++ {
		for j := 0; j < n; j++ {
			sum := 0.0
			for k := 0; k < n; k++ {
				sum += a[i*n+k] * b[k*n+j]
			}
			c[i*n+j] += sum
		}
	}
}

// multiplyRows goes through b by rows.
//
//goprofinstr:variant of=Multiply
func multiplyRows(c, a, b []float64, n int) {
	for i := 0; i < n; i++ {
		row := c[i*n : i*n+n]
		for k := 0; k < n; k++ {
			x := a[i*n+k]
			for j, y := range b[k*n : k*n+n] {
				row[j] += x * y
			}
		}
	}
}

// Sieve counts the primes below n in segments.
func Sieve(n int) (count int) {
	const size = 1 << 15
	var composite [size]bool
	for low := 0; low < n; low += size {
		clear(composite[:])
		for p := 2; p*p < low+size; p++ {
			for m := max(p*p, (low+p-1)/p*p); m < low+size; m += p {
				composite[m-low] = true
			}
		}
		for i, c := range composite {
			if !c && low+i >= 2 && low+i < n {
				count++
			}
		}
	}
	return count
}

// sieveOdd has no even factors but 2.
//
//goprofinstr:variant of=Sieve
func sieveOdd(n int) (count int) {
	const size = 1 << 15
	var composite [size]bool
	for low := 0; low < n; low += size {
		clear(composite[:])
		for p := 2; p*p < low+size; p++ {
			if p > 2 && p%2 == 0 {
				continue
			}
			for m := max(p*p, (low+p-1)/p*p); m < low+size; m += p {
				composite[m-low] = true
			}
		}
		for i, c := range composite {
			if !c && low+i >= 2 && low+i < n {
				count++
			}
		}
	}
	return count
}

// Distance is the edit distance of two strings.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 0; i < len(a); i++ {
		diagonal := row[0]
		row[0] = i + 1
		for j := 0; j < len(b); j++ {
			cost := diagonal
			if a[i] != b[j] {
				cost = min(diagonal, row[j], row[j+1]) + 1
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

// distanceIfs compares with branches.
//
//goprofinstr:variant of=Distance
func distanceIfs(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 0; i < len(a); i++ {
		diagonal := row[0]
		row[0] = i + 1
		for j := 0; j < len(b); j++ {
			cost := diagonal
			if a[i] != b[j] {
				if row[j] < cost {
					cost = row[j]
				}
				if row[j+1] < cost {
					cost = row[j+1]
				}
				cost++
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

// Words counts the words of lines.
func Words(lines []string) (n int) {
	for _, line := range lines {
		n += len(strings.Fields(line))
	}
	return n
}

// wordsByHand makes no slices.
//
//goprofinstr:variant of=Words
func wordsByHand(lines []string) (n int) {
	for _, line := range lines {
		n += fields(line)
	}
	return n
}

func fields(line string) (n int) {
	in := false
	for _, r := range line {
		space := r == ' ' || r == '\t'
		if !space && !in {
			n++
		}
		in = !space
	}
	return n
}

// SortChunks sorts each chunk.
func SortChunks(chunks [][]int) {
	for _, c := range chunks {
		sort.Ints(c)
	}
}

// sortInterface sorts by an interface.
//
//goprofinstr:variant of=SortChunks
func sortInterface(chunks [][]int) {
	for _, c := range chunks {
		sort.Sort(sort.IntSlice(c))
	}
}

// Simulate moves bodies that attract each other.
func Simulate(p, v []float64, steps int) {
	for range steps {
		for i := range p {
			for j := range p {
				if i != j {
					d := p[j] - p[i]
					v[i] += d / math.Sqrt(d*d+0.01) * 1e-3
				}
			}
		}
		for i := range p {
			p[i] += v[i]
		}
	}
}

// simulateHalf computes each pair once.
//
//goprofinstr:variant of=Simulate
func simulateHalf(p, v []float64, steps int) {
	for range steps {
		for i := range p {
			for j := i + 1; j < len(p); j++ {
				d := p[j] - p[i]
				f := d / math.Sqrt(d*d+0.01) * 1e-3
				v[i] += f
				v[j] -= f
			}
		}
		for i := range p {
			p[i] += v[i]
		}
	}
}

// Checksum adds up the sums of blocks.
func Checksum(data []byte) (sum uint32) {
	for len(data) > 0 {
		block := data[:min(4096, len(data))]
		data = data[len(block):]
		sum = sum<<1 ^ adler(block)
	}
	return sum
}

// checksumLate takes the remainder once in a block.
//
//goprofinstr:variant of=Checksum
func checksumLate(data []byte) (sum uint32) {
	for len(data) > 0 {
		block := data[:min(4096, len(data))]
		data = data[len(block):]
		sum = sum<<1 ^ adlerLate(block)
	}
	return sum
}

func adler(block []byte) uint32 {
	a, b := uint32(1), uint32(0)
	for _, c := range block {
		a = (a + uint32(c)) % 65521
		b = (b + a) % 65521
	}
	return b<<16 | a
}

func adlerLate(block []byte) uint32 {
	a, b := uint64(1), uint64(0)
	for _, c := range block {
		a += uint64(c)
		b += a
	}
	return uint32(b%65521)<<16 | uint32(a%65521)
}

// Count counts the bytes of lines that are not in a set; its variant has two of a hundred bytes looked at twice, which takes a little longer.
func Count(lines [][]byte, set []byte) (n int) {
	for _, line := range lines {
		for _, c := range line {
			if !slices.Contains(set, c) {
				n++
			}
		}
	}
	return n
}

//goprofinstr:variant of=Count
func countMore(lines [][]byte, set []byte) (n int) {
	for _, line := range lines {
		for i, c := range line {
			if i%50 == 0 && bytes.IndexByte(set, c) >= 0 {
				continue
			}
			if !slices.Contains(set, c) {
				n++
			}
		}
	}
	return n
}
