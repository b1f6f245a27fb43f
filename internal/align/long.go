package align

import (
	"slices"
	"sort"
)

// Long is Lines for sequences of any length. What both begin and end with is found first. Where the rest is too long,
// elements that are in both of them once divide it (patience diff). What is between two of these is found on its own.
func Long(a, b []string) []int {
	to := make([]int, len(a))
	for i := range to {
		to[i] = -1
	}
	long(to, a, b, 0)
	return to
}

// long sets where elements of a are in b, which begins at an index of all.
func long(to []int, a, b []string, at int) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		to[0] = at
		to, a, b, at = to[1:], a[1:], b[1:], at+1
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		to[len(a)-1] = at + len(b) - 1
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a)*len(b) <= mostCells {
		for i, j := range Lines(a, b) {
			if j >= 0 {
				to[i] = at + j
			}
		}
		return
	}
	i, j := 0, 0
	for _, anchor := range anchors(a, b) {
		to[anchor.a] = at + anchor.b
		long(to[i:anchor.a], a[i:anchor.a], b[j:anchor.b], at+j)
		i, j = anchor.a+1, anchor.b+1
	}
	if i > 0 {
		long(to[i:len(a)], a[i:], b[j:], at+j)
	}
}

// pair is two indices of one element.
type pair struct{ a, b int }

// anchors returns the longest list of elements that both sequences have once, in the order of both.
func anchors(a, b []string) []pair {
	all := unique(a, b)
	var ends, before []int // of a list of each length, the end that comes first in b; what is before a pair
	for k, p := range all {
		n := sort.Search(len(ends), func(n int) bool { return all[ends[n]].b >= p.b })
		previous := -1
		if n > 0 {
			previous = ends[n-1]
		}
		before = append(before, previous)
		if n == len(ends) {
			ends = append(ends, k)
		}
		ends[n] = k
	}
	var list []pair
	if len(ends) > 0 {
		for k := ends[len(ends)-1]; k >= 0; k = before[k] {
			list = append(list, all[k])
		}
	}
	slices.Reverse(list)
	return list
}

// unique returns the elements that both sequences have once, in the order of the first.
func unique(a, b []string) (list []pair) {
	inA, inB, where := make(map[string]int), make(map[string]int), make(map[string]int)
	for _, s := range a {
		inA[s]++
	}
	for j, s := range b {
		inB[s]++
		where[s] = j
	}
	for i, s := range a {
		if inA[s] == 1 && inB[s] == 1 {
			list = append(list, pair{i, where[s]})
		}
	}
	return list
}
