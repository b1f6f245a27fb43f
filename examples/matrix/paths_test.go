package main

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/examples/internal/pathtest"
)

// TestPaths compares the path counts of factor with the log of a copy of it
// that says where it is.
func TestPaths(t *testing.T) {
	run := pathtest.Wrap(t)
	log := pathtest.NewLog(t, pathtest.ReadSource(t, "main.go"))
	if err := loggedFactor(hessenberg(size), log); err != nil {
		t.Fatal(err)
	}
	want := log.Paths()
	if diff := cmp.Diff(want, run.Paths(t, "factor")); diff != "" {
		t.Errorf("paths of factor, -want +got:\n%s", diff)
	}
	run.CheckReadme(t, want)
}

// loggedFactor is factor with a call at the beginning of each block and on each
// back edge. A loop stands here as what it does: test, body, back.
func loggedFactor(a [][]float64, log *pathtest.Log) error {
	const (
		columns = "for k := 0; k < n; k++ {"
		search  = "for i := k + 1; i < n; i++ {"
		rows    = "for r := k + 1; r < n; r++ {"
		inner   = "for j := k + 1; j < n; j++ {"
	)
	log.Enter("n := len(a)")
	n := len(a)
	k := 0
	log.At(columns)
	for k < n {
		log.At("p := k")
		p := k
		i := k + 1
		log.At(search)
		for i < n {
			log.At("if math.Abs(a[i][k]) > math.Abs(a[p][k]) {")
			if math.Abs(a[i][k]) > math.Abs(a[p][k]) {
				log.At("p = i")
				p = i
			}
			i++
			log.Back(search)
		}
		log.At("if a[p][k] == 0 {")
		if a[p][k] == 0 {
			return errors.New("singular")
		}
		log.At("if p != k {")
		if p != k {
			log.At("a[p], a[k] = a[k], a[p]")
			a[p], a[k] = a[k], a[p]
		}
		log.At(rows) // where r starts
		r := k + 1
		log.At(rows)
		for r < n {
			log.At("if a[r][k] == 0 {")
			if a[r][k] == 0 {
				log.At("continue")
				r++
				log.Back(rows)
				continue
			}
			log.At("a[r][k] /= a[k][k]")
			a[r][k] /= a[k][k]
			f := a[r][k]
			j := k + 1
			log.At(inner)
			for j < n {
				log.At("a[r][j] -= f * a[k][j]")
				a[r][j] -= f * a[k][j]
				j++
				log.Back(inner)
			}
			r++
			log.Back(rows)
		}
		k++
		log.Back(columns)
	}
	log.Return("return perm, swaps, nil")
	return nil
}
