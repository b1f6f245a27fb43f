// Package align finds what two sequences have in common, as diff does with lines.
package align

// mostCells bounds the time that it takes. Functions of more than a thousand blocks, or lines, are generated.
const mostCells = 1 << 20

// Lines returns for each element of a the index of the one in b that it is, or -1: a longest common subsequence.
func Lines(a, b []string) []int {
	to := make([]int, len(a))
	for i := range to {
		to[i] = -1
	}
	if len(a)*len(b) > mostCells {
		return to
	}
	length := make([][]int, len(a)+1) // of the longest one of a[i:] and b[j:]
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if length[i][j] = max(length[i+1][j], length[i][j+1]); a[i] == b[j] {
				length[i][j] = length[i+1][j+1] + 1
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			to[i] = j
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return to
}
