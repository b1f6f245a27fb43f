package inline

import (
	"bytes"
	"slices"
	"strconv"
)

// Merge adds edges to those of a user's profile, of which the compiler takes the ones for hot that make up 99% of the
// weight. The result has these and ours above the returned threshold, a percentage, and the others below it, in the
// order that they had.
func Merge(user, ours []Edge) (edges []Edge, threshold string) {
	known := make(map[Edge]bool)
	most, total := int64(0), int64(0)
	for _, e := range user {
		most, total = max(most, e.Weight), total+e.Weight
	}
	hot := hotEdges(user, total)
	above := int64(0)
	for _, e := range ours {
		known[withoutWeight(e)] = true
		e.Weight = most + 1
		above += e.Weight
		edges = append(edges, e)
	}
	all, last := above, max(0, above-most-1)
	for i, e := range user {
		if known[withoutWeight(e)] {
			continue
		}
		edges = append(edges, e)
		all += e.Weight
		if i < hot {
			last, above = above, above+e.Weight
		}
	}
	// The compiler takes edges until their sum exceeds the threshold, and the one with which it does.
	percent := (float64(last)/float64(all) + float64(above)/float64(all)) / 2 * 100
	return edges, strconv.FormatFloat(percent, 'g', -1, 64)
}

func withoutWeight(e Edge) Edge {
	e.Weight = 0
	return e
}

// hotEdges returns how many edges, which are sorted by weight, the compiler takes for hot by itself.
func hotEdges(edges []Edge, total int64) int {
	sum := int64(0)
	for i, e := range edges {
		sum += e.Weight
		if float64(sum)/float64(total)*100 > 99 {
			return i + 1
		}
	}
	return len(edges)
}

var preprofileHeader = []byte("GO PREPROFILE V1\n")

// ReadPreprofile reads what `go tool preprofile` writes: the edges of a profile, sorted by weight.
func ReadPreprofile(data []byte) (edges []Edge, ok bool) {
	data, ok = bytes.CutPrefix(data, preprofileHeader)
	lines := slices.Collect(bytes.Lines(data))
	if !ok || len(lines)%3 != 0 {
		return nil, false
	}
	for l := range slices.Chunk(lines, 3) {
		offset, weight, _ := bytes.Cut(bytes.TrimSpace(l[2]), []byte(" "))
		e := Edge{Caller: string(bytes.TrimSuffix(l[0], []byte("\n"))), Callee: string(bytes.TrimSuffix(l[1], []byte("\n")))}
		var err1, err2 error
		e.Offset, err1 = strconv.Atoi(string(offset))
		e.Weight, err2 = strconv.ParseInt(string(weight), 10, 64)
		if err1 != nil || err2 != nil {
			return nil, false
		}
		edges = append(edges, e)
	}
	return edges, true
}
