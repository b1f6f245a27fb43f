package page

import (
	"net/http"
	"slices"
	"strings"
)

// maxFound is how many functions a search shows.
const maxFound = 30

// found is the functions that a search finds.
type found struct {
	Functions []*function
	All       int
}

func (s *server) searchPage(w http.ResponseWriter, r *http.Request) {
	query := r.FormValue("q")
	name := "search.html"
	if r.FormValue("part") != "" {
		name = "found" // for the list under the search field
	}
	s.write(w, http.StatusOK, name, layout{Title: "Search", Query: query, Page: s.search(query)})
}

// search returns the functions whose names or files have all words of a query, whatever their case: first those whose own name begins with it, then
// those of the highest flow.
func (s *Site) search(query string) found {
	words := strings.Fields(strings.ToLower(query))
	if len(words) == 0 {
		return found{}
	}
	var first, rest []*function
	for _, f := range s.functions {
		text := strings.ToLower(f.Table.Name + " " + f.Table.File)
		if slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) }) {
			continue
		}
		own := strings.ToLower(f.Short[strings.LastIndexByte(f.Short, '.')+1:])
		if strings.HasPrefix(own, words[0]) {
			first = append(first, f)
		} else {
			rest = append(rest, f)
		}
	}
	all := append(first, rest...)
	return found{all[:min(maxFound, len(all))], len(all)}
}
