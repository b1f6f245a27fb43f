package main

import "testing"

func TestCollatz(t *testing.T) {
	total := 0
	for n := range 300 {
		total += collatz(n)
	}
	if total != 14151 {
		t.Error(total)
	}
}
