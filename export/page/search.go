package page

import (
	"cmp"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/goprofinstr/goprofinstr/internal/show"
)

// maxFound is how many functions and files a search shows.
const maxFound = 30

// found is what a search finds.
type found struct {
	Results []result
	All     int
}

// result is a function or a file.
type result struct {
	Function *function // nil for files
	File     *file
	rank     int
}

// Off reports whether nothing of it was executed.
func (r result) Off() bool {
	if r.Function != nil {
		return !r.Function.Executed()
	}
	return r.File.Coverage.FunctionsExecuted == 0
}

// Name is what a result is called, and Place where it is.
func (r result) Name() string {
	if r.Function != nil {
		return r.Function.Short
	}
	return r.File.Base()
}

func (r result) Place() string {
	if r.Function != nil {
		return show.Printable(r.Function.Table.File) + ":" + strconv.Itoa(r.Function.Table.Line)
	}
	return show.Printable(r.File.Name)
}

func (s *server) searchPage(w http.ResponseWriter, r *http.Request) {
	query := r.FormValue("q")
	name := "search.html"
	if r.FormValue("part") != "" {
		name = "found" // for the list under the search field
	}
	s.write(w, http.StatusOK, name, layout{Title: "Search", Query: query, Page: s.search(query)})
}

// How well a name matches a query, best first.
const (
	whole    = iota // it is the query, whatever its case
	begins          // it begins with it
	contains        // it has it
	around          // what is around it does: the type, the package, the file
	nowhere
)

// search returns the functions and files whose names have all words of a query, whatever their case: those first whose
// own name is a word of it, begins with one, or contains one. Of equal ones the functions of the highest flow come first.
func (s *Site) search(query string) found {
	words := strings.Fields(strings.ToLower(query))
	if len(words) == 0 {
		return found{}
	}
	var all []result
	for _, f := range s.functions {
		plain := strings.ReplaceAll(f.Short, "[...]", "") // as one calls what is generic
		full := strings.ReplaceAll(f.Table.Name, "[...]", "")
		own := plain[strings.LastIndexByte(plain, '.')+1:]
		if r := rank(words, f.Table.Name+" "+full+" "+f.Table.File, own, plain, full, f.Short, f.Table.Name); r < nowhere {
			all = append(all, result{f, f.File, r})
		}
	}
	for _, at := range s.files {
		base := path.Base(at.Name)
		if r := rank(words, at.Name, base, strings.TrimSuffix(base, ".go"), at.Name); r < nowhere {
			all = append(all, result{nil, at, r})
		}
	}
	slices.SortStableFunc(all, func(a, b result) int { return cmp.Compare(a.rank, b.rank) })
	return found{all[:min(maxFound, len(all))], len(all)}
}

// rank returns how well the best of some names matches one of the words, if text has all of these. The first name is a
// thing's own, and only a whole match of the others counts.
func rank(words []string, text string, names ...string) int {
	text = strings.ToLower(text)
	best := nowhere
	for _, word := range words {
		if !strings.Contains(text, word) {
			return nowhere
		}
		for i, name := range names {
			name = strings.ToLower(name)
			switch {
			case name == word:
				best = whole
			case i == 0 && strings.HasPrefix(name, word):
				best = min(best, begins)
			case i == 0 && strings.Contains(name, word):
				best = min(best, contains)
			default:
				best = min(best, around)
			}
		}
	}
	return best
}
