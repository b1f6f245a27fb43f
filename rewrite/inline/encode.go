package inline

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/google/pprof/profile"
)

// firstLine is where functions start in the profiles that we write: the compiler sees only differences of lines, and what is
// inlined from another file may lie before the start of the function.
const firstLine = 1 << 24

// Encode returns a profile with the given edges, for the compiler's -pgoprofile. Edges in the same order give the same bytes.
func Encode(edges []Edge) ([]byte, error) {
	e := encoder{profile: &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}}},
		functions: make(map[string]*profile.Function), locations: make(map[place]*profile.Location)}
	for _, edge := range edges {
		e.profile.Sample = append(e.profile.Sample, &profile.Sample{
			Location: []*profile.Location{e.location(place{edge.Callee, 0}), e.location(place{edge.Caller, edge.Offset})},
			Value:    []int64{edge.Weight},
		})
	}
	if err := e.profile.CheckValid(); err != nil {
		panic("BUG: profile of inlined calls: " + err.Error())
	}
	var b bytes.Buffer
	err := e.profile.Write(&b)
	return b.Bytes(), err
}

// A place is a line in a function.
type place struct {
	function string
	offset   int
}

type encoder struct {
	profile   *profile.Profile
	functions map[string]*profile.Function
	locations map[place]*profile.Location
}

func (e *encoder) location(p place) *profile.Location {
	if l := e.locations[p]; l != nil {
		return l
	}
	l := &profile.Location{
		ID:   uint64(len(e.profile.Location) + 1),
		Line: []profile.Line{{Function: e.function(p.function), Line: int64(firstLine + p.offset)}},
	}
	e.locations[p] = l
	e.profile.Location = append(e.profile.Location, l)
	return l
}

func (e *encoder) function(name string) *profile.Function {
	if f := e.functions[name]; f != nil {
		return f
	}
	f := &profile.Function{ID: uint64(len(e.profile.Function) + 1), Name: name, SystemName: name, StartLine: firstLine}
	e.functions[name] = f
	e.profile.Function = append(e.profile.Function, f)
	return f
}

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
