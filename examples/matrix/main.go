// Matrix solves a system of linear equations by LU decomposition with partial
// pivoting, and prints how far off the solution is.
//
// The matrix is of upper Hessenberg form (nothing below the first diagonal under the main
// one), which the code neither knows nor asks for. A path profile shows it: see README.md.
package main

import (
	"fmt"
	"log"
	"math"
)

// The test decomposes the same matrix.
const size = 60

func main() {
	log.SetFlags(0)
	log.SetPrefix("matrix: ")
	a := hessenberg(size)
	b := make([]float64, size)
	for i, row := range a {
		b[i] = sum(row) // of the solution 1, 1, …
	}
	lu := clone(a)
	perm, swaps, err := factor(lu)
	if err != nil {
		log.Fatal(err)
	}
	worst := 0.0
	for _, x := range solve(lu, perm, b) {
		worst = max(worst, math.Abs(x-1))
	}
	fmt.Printf("%d equations, %d swaps\n", size, swaps)
	fmt.Printf("solved to within 1e-9: %t\n", worst < 1e-9)
}

// factor replaces the square matrix a by its factors L and U. L is below the diagonal, and has 1 on it. Row i of them
// belongs to row perm[i] of a.
func factor(a [][]float64) (perm []int, swaps int, err error) {
	n := len(a)
	perm = identity(n)
	for k := 0; k < n; k++ {
		p := k
		for i := k + 1; i < n; i++ {
			if math.Abs(a[i][k]) > math.Abs(a[p][k]) {
				p = i
			}
		}
		if a[p][k] == 0 {
			return nil, 0, fmt.Errorf("matrix is singular: no pivot in column %d", k)
		}
		if p != k {
			a[p], a[k] = a[k], a[p]
			perm[p], perm[k] = perm[k], perm[p]
			swaps++
		}
		for r := k + 1; r < n; r++ {
			if a[r][k] == 0 {
				continue
			}
			a[r][k] /= a[k][k]
			f := a[r][k]
			for j := k + 1; j < n; j++ {
				a[r][j] -= f * a[k][j]
			}
		}
	}
	return perm, swaps, nil
}

// solve returns x with a·x = b, given what factor made of a.
func solve(lu [][]float64, perm []int, b []float64) []float64 {
	x := make([]float64, len(b))
	for i, row := range lu {
		x[i] = b[perm[i]]
		for j, l := range row[:i] {
			x[i] -= l * x[j]
		}
	}
	for i := len(lu) - 1; i >= 0; i-- {
		for j := i + 1; j < len(lu); j++ {
			x[i] -= lu[i][j] * x[j]
		}
		x[i] /= lu[i][i]
	}
	return x
}

// hessenberg returns an n×n matrix of upper Hessenberg form. One of five columns has a zero under
// the diagonal too; of the others, two of three have their largest element there.
func hessenberg(n int) [][]float64 {
	a := make([][]float64, n)
	for i := range a {
		a[i] = make([]float64, n)
		for j := i; j < n; j++ {
			a[i][j] = 1 / float64(1+i+2*j)
		}
		a[i][i] += 2
		if i > 0 && i%5 != 0 {
			a[i][i-1] = []float64{0.5, 4, 8}[i%3]
		}
	}
	return a
}

func identity(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	return p
}

func clone(a [][]float64) [][]float64 {
	c := make([][]float64, len(a))
	for i, row := range a {
		c[i] = append([]float64(nil), row...)
	}
	return c
}

func sum(row []float64) float64 {
	s := 0.0
	for _, x := range row {
		s += x
	}
	return s
}
