package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/goprofinstr/goprofinstr/export/gate"
	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/prime"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// WritePrime writes the prime paths of the functions that ran, at most top of a function that are covered, missing, not told and
// infeasible:
//
//	m.go:6: m.F  7 prime paths: 5 covered, 2 missing
//	    1,204    for i < n true → line 7 again
//	    missing  i < n false → return
//
// The last lines sum up all functions.
func WritePrime(w io.Writer, p *profile.Profile, top int) error {
	if !gate.HasPairs(p) {
		return gate.ErrNoPairs
	}
	out := bufio.NewWriter(w)
	texts := code.New(p)
	var total prime.Total
	for _, f := range p.Functions() {
		fn := prime.Of(f, prime.Options{Most: top})
		total.Add(fn)
		if f.Executed() {
			writePrimes(out, fn, texts.Of(f))
		}
	}
	for _, line := range primeLines(&total) {
		fmt.Fprintln(out, line)
	}
	return out.Flush()
}

// writePrimes writes the lines of a function.
func writePrimes(w io.Writer, fn *prime.Function, text *code.Function) {
	t := fn.Table
	fmt.Fprintf(w, "%s:%d: %s  %s\n", show.Printable(t.File), t.Line, show.Printable(t.Name), primesOf(fn))
	var lines strings.Builder
	tab := tabwriter.NewWriter(&lines, 0, 8, 2, ' ', 0)
	for _, state := range prime.States {
		list := fn.List[state]
		for i := range list {
			steps := strings.Join(prime.Steps(fn, &list[i], text), " → ")
			fmt.Fprintf(tab, "    %s\t%s\n", prime.CountText(&list[i]), show.Printable(strings.ReplaceAll(steps, "\t", " ")))
		}
		if more := fn.Total[state] - len(list); more > 0 {
			fmt.Fprintf(tab, "    \tand %s more %s\n", show.Grouped(int64(more)), state)
		}
	}
	tab.Flush()
	fmt.Fprint(w, lines.String())
	if fn.Why != "" {
		fmt.Fprintf(w, "    rounds of loops are not told: %s\n", fn.Why)
	}
	if fn.LostPairs > 0 {
		const text = "    %s of pairs of paths were sampled, for want of room: what is \"about\" is estimated from the samples\n"
		fmt.Fprintf(w, text, show.Plural(int(fn.LostPairs), "execution"))
	}
}

// primesOf returns "7 prime paths: 5 covered, 2 missing".
func primesOf(fn *prime.Function) string {
	if fn.TooMany {
		return fmt.Sprintf("more than %s prime paths: %s covered", show.Grouped(prime.Most), show.Grouped(int64(fn.Total[prime.Covered])))
	}
	all := 0
	var parts []string
	for _, state := range prime.States {
		if n := fn.Total[state]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", show.Grouped(int64(n)), state))
			all += n
		}
	}
	return show.Plural(all, "prime path") + ": " + strings.Join(parts, ", ")
}

// primeLines says how much is known of all prime paths.
func primeLines(t *prime.Total) []string {
	grouped := func(n int) string { return show.Grouped(int64(n)) }
	covered, all := t.States[prime.Covered], t.Demanded()
	lines := []string{
		fmt.Sprintf("prime paths covered: %s of %s (%s)", grouped(covered), grouped(all), show.Percent(int64(covered), int64(all))),
	}
	if n := t.States[prime.Untold]; n > 0 {
		lines = append(lines, fmt.Sprintf("not in these numbers: %s that may be covered: over more than one back edge", grouped(n)))
	}
	if n := t.States[prime.Infeasible]; n > 0 {
		lines = append(lines, fmt.Sprintf("not in these numbers: %s infeasible, by conditions that contradict each other", grouped(n)))
	}
	if t.TooMany > 0 {
		lines = append(lines, fmt.Sprintf("not in these numbers: %s with more than %s, of which %s are covered",
			show.Plural(t.TooMany, "function"), grouped(prime.Most), grouped(t.CoveredOf)))
	}
	if t.Uncounted > 0 {
		lines = append(lines, fmt.Sprintf("rounds of loops are not told: of %s", show.Plural(t.Uncounted, "function")))
	}
	return lines
}

// What the JSON report has of prime paths.
type (
	jsonPrime struct {
		Paths      jsonShare       `json:"paths"`
		Untold     int             `json:"not_told"` // paths that are not in these numbers
		Infeasible int             `json:"infeasible"`
		TooMany    int             `json:"functions_of_too_many"` // of which it is not known what is missing
		CoveredOf  int             `json:"covered_of_too_many"`
		Uncounted  int             `json:"functions_without_pairs"`
		List       []jsonPrimeList `json:"list"` // functions that ran
	}
	jsonPrimeList struct {
		Function   string          `json:"function"`
		File       string          `json:"file"`
		Line       int             `json:"line"`
		Covered    int             `json:"covered"`
		Missing    int             `json:"missing"`
		Untold     int             `json:"not_told"`
		Infeasible int             `json:"infeasible"`
		TooMany    bool            `json:"too_many,omitempty"`
		Why        string          `json:"why,omitempty"`        // rounds of loops are not told
		Lost       int64           `json:"lost_pairs,omitempty"` // for which there was no room
		Paths      []jsonPrimePath `json:"paths"`                // some of each state
	}
	jsonPrimePath struct {
		State string   `json:"state"`              // "covered", "missing", "not told", "infeasible"
		Low   int64    `json:"low"`                // executions, at least
		High  int64    `json:"high"`               // at most; the same as low if they are known
		About int64    `json:"estimate,omitempty"` // if pairs of paths were sampled
		Edges []int    `json:"edges"`
		Steps []string `json:"steps"`
	}
)

// newJSONPrime returns nil if the profile does not tell.
func newJSONPrime(p *profile.Profile, texts *code.Texts, top int) *jsonPrime {
	hasAny := slices.ContainsFunc(p.Functions(), func(f *profile.Function) bool { return f.Table.Pairs != nil })
	if !hasAny {
		return nil
	}
	j := &jsonPrime{List: []jsonPrimeList{}}
	var total prime.Total
	for _, f := range p.Functions() {
		fn := prime.Of(f, prime.Options{Most: top})
		total.Add(fn)
		if f.Executed() {
			j.List = append(j.List, newJSONPrimeList(fn, texts.Of(f)))
		}
	}
	j.Paths = jsonShare{total.States[prime.Covered], total.Demanded()}
	j.Untold, j.Infeasible = total.States[prime.Untold], total.States[prime.Infeasible]
	j.TooMany, j.CoveredOf, j.Uncounted = total.TooMany, total.CoveredOf, total.Uncounted
	return j
}

func newJSONPrimeList(fn *prime.Function, text *code.Function) jsonPrimeList {
	t := fn.Table
	j := jsonPrimeList{
		Function: t.Name, File: t.File, Line: t.Line, TooMany: fn.TooMany, Why: fn.Why, Lost: fn.LostPairs,
		Covered: fn.Total[prime.Covered], Missing: fn.Total[prime.Missing], Untold: fn.Total[prime.Untold],
		Infeasible: fn.Total[prime.Infeasible], Paths: []jsonPrimePath{},
	}
	for _, state := range prime.States {
		list := fn.List[state]
		for i := range list {
			p := &list[i]
			j.Paths = append(j.Paths, jsonPrimePath{string(state), p.Low, p.High, p.Estimate, p.Edges, prime.Steps(fn, p, text)})
		}
	}
	return j
}
