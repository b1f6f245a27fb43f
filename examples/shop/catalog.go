package main

import (
	"fmt"
	"slices"
	"strings"
)

// words are what products are called by.
var words = []string{"amber", "basket", "candle", "drawer", "easel", "feather", "goblet", "hammer", "inkwell", "jacket", "kettle", "lantern"}

// A catalog has the names of products.
type catalog struct{ names []string }

// newCatalog returns a catalog of some hundred products.
func newCatalog() *catalog {
	c := new(catalog)
	for _, a := range words {
		for _, b := range words {
			c.names = append(c.names, fmt.Sprintf("%s and %s", a, b))
		}
	}
	return c
}

// search returns the products with a word in their names.
func (c *catalog) search(word string) []string {
	var found []string
	for _, name := range c.names {
		if strings.Contains(name, word) {
			found = append(found, name)
		}
	}
	if len(found) == 0 {
		return c.nearest(word, 3)
	}
	return found
}

// suggest returns products for what a customer has typed so far.
func (c *catalog) suggest(begin string) []string { return c.nearest(begin, 5) }

// nearest returns the n names that are nearest to a word.
func (c *catalog) nearest(word string, n int) []string {
	names := slices.Clone(c.names)
	slices.SortFunc(names, func(a, b string) int {
		return near(a, word) - near(b, word)
	})
	return names[:n]
}

// near returns the distance of a word from the nearest one of a name.
func near(name, word string) int {
	least := len(word)
	for w := range strings.FieldsSeq(name) {
		least = min(least, distance(w, word))
	}
	return least
}

// distance returns how many bytes have to be put in, left out or replaced to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
