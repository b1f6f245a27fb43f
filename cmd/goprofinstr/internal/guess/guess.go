// Package guess tells what somebody may have wanted to write who has mistyped a word:
//
//	guess.Hint("raport", "", []string{"report", "wrap"}) // ` (did you mean report?)`
package guess

import (
	"fmt"
	"strings"
)

// Nearest returns the known word that is nearest to another one, "" if none is near enough: one letter in three may be
// another, and of a word of three letters and more the end may be missing.
func Nearest(word string, known []string) string {
	word = strings.ToLower(word)
	best, least := "", max(1, len(word)/3)+1
	for _, k := range known {
		if d := distance(word, strings.ToLower(k)); d < least && d < len(k) {
			best, least = k, d
		}
	}
	if best != "" || len(word) < 3 {
		return best
	}
	for _, k := range known {
		if strings.HasPrefix(k, word) {
			return k
		}
	}
	return ""
}

// Hint returns a question to put behind a message about a word, with what stands before all words, such as a dash;
// "" if there is nothing to guess.
func Hint(word, before string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return fmt.Sprintf(" (did you mean %s%s?)", before, near)
	}
	return ""
}

// distance returns how many letters have to be put in, left out, changed, or swapped with their neighbour: the distance
// of Damerau, with each letter part of one change at most.
func distance(a, b string) int {
	above2, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		above2, above, row = above, row, above2
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], above2[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
