package loopy

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

var sink int

func BenchmarkMultiply(b *testing.B) {
	const n = 220
	x, y, z := numbers(n*n), numbers(n*n), make([]float64, n*n)
	for b.Loop() {
		Multiply(z, x, y, n)
	}
}

func BenchmarkSieve(b *testing.B) {
	for b.Loop() {
		sink = Sieve(3 << 20)
	}
}

func BenchmarkDistance(b *testing.B) {
	x, y := text(1, 2000), text(2, 2000)
	for b.Loop() {
		sink = Distance(x, y)
	}
}

func BenchmarkWords(b *testing.B) {
	lines := strings.SplitAfter(strings.Repeat(text(3, 6400), 100), "e")
	for b.Loop() {
		sink = Words(lines)
	}
}

func BenchmarkSortChunks(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	chunks := make([][]int, 200)
	for b.Loop() {
		for i := range chunks {
			chunks[i] = r.Perm(500)
		}
		SortChunks(chunks)
	}
}

func BenchmarkSimulate(b *testing.B) {
	p := numbers(128)
	for b.Loop() {
		Simulate(slices.Clone(p), make([]float64, len(p)), 100)
	}
}

func BenchmarkChecksum(b *testing.B) {
	data := bytes.Repeat([]byte(text(4, 1000)), 2000)
	for b.Loop() {
		sink = int(Checksum(data))
	}
}

func BenchmarkCount(b *testing.B) {
	lines := bytes.SplitAfter(bytes.Repeat([]byte(text(5, 10000)), 50), []byte("e"))
	for b.Loop() {
		sink = Count(lines, []byte("aeiouyxq"))
	}
}

func numbers(n int) []float64 {
	r := rand.New(rand.NewPCG(3, 4))
	list := make([]float64, n)
	for i := range list {
		list[i] = r.Float64()
	}
	return list
}

func text(seed uint64, n int) string {
	r := rand.New(rand.NewPCG(seed, 5))
	b := make([]byte, n)
	for i := range b {
		b[i] = "abcdefghijklmnopqrstuvwxyz     "[r.IntN(31)]
	}
	return string(b)
}

// The variants do the same.
func TestVariants(t *testing.T) {
	const n = 20
	x, y := numbers(n*n), numbers(n*n)
	a, b := make([]float64, n*n), make([]float64, n*n)
	Multiply(a, x, y, n)
	multiplyRows(b, x, y, n)
	lines := []string{text(1, 99), text(2, 1000), " "}
	one, other := [][]int{{3, 1, 2}}, [][]int{{3, 1, 2}}
	SortChunks(one)
	sortInterface(other)
	data := []byte(text(3, 10000))
	for name, same := range map[string]bool{
		"Multiply":   slices.Equal(a, b),
		"Sieve":      Sieve(100000) == sieveOdd(100000),
		"Distance":   Distance(lines[0], lines[1]) == distanceIfs(lines[0], lines[1]),
		"Words":      Words(lines) == wordsByHand(lines),
		"SortChunks": slices.Equal(one[0], other[0]),
		"Checksum":   Checksum(data) == checksumLate(data),
		"Count":      Count([][]byte{data}, []byte("xyz")) == countMore([][]byte{data}, []byte("xyz")),
	} {
		if !same {
			t.Errorf("%s and its variant differ", name)
		}
	}
}
