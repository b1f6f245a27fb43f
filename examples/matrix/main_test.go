package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFactor(t *testing.T) {
	a := [][]float64{
		{1, 4, 5},
		{2, 2, 2},
		{4, 0, 0},
	}
	perm, swaps, err := factor(a)
	if err != nil {
		t.Fatal(err)
	}
	// Pivots: 4 of row 2, 4 of row 0, and then 2 - 2·5/4 is left of row 1.
	want := [][]float64{
		{4, 0, 0},
		{0.25, 4, 5},
		{0.5, 0.5, -0.5},
	}
	if diff := cmp.Diff(want, a); diff != "" {
		t.Errorf("factors, -want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]int{2, 0, 1}, perm); diff != "" {
		t.Errorf("perm, -want +got:\n%s", diff)
	}
	if swaps != 2 {
		t.Errorf("%d swaps, want 2", swaps)
	}
}

func TestFactorSingular(t *testing.T) {
	for _, a := range [][][]float64{
		{{0}},
		{{1, 2}, {2, 4}},
		{{1, 0, 0}, {0, 0, 1}, {0, 0, 1}},
	} {
		before := clone(a)
		if _, _, err := factor(a); err == nil {
			t.Errorf("no error for %v", before)
		}
	}
}

func TestSolve(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 12 {
		a := make([][]float64, n)
		x, b := make([]float64, n), make([]float64, n)
		for i := range a {
			a[i] = make([]float64, n)
			x[i] = random.Float64()
			for j := range a[i] {
				a[i][j] = random.Float64() - 0.5
			}
		}
		for i, row := range a {
			for j := range row {
				b[i] += row[j] * x[j]
			}
		}
		perm, _, err := factor(a)
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range solve(a, perm, b) {
			if math.Abs(got-x[i]) > 1e-9 {
				t.Errorf("n = %d: x[%d] = %g, want %g", n, i, got, x[i])
			}
		}
	}
}

// TestHessenberg says what README.md says about the matrix.
func TestHessenberg(t *testing.T) {
	a := hessenberg(size)
	for i, row := range a {
		for j, x := range row {
			if (x == 0) != (j < i-1 || j == i-1 && i%5 == 0) {
				t.Errorf("a[%d][%d] = %g", i, j, x)
			}
		}
	}
}
