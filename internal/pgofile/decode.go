package pgofile

import (
	"errors"
	"slices"

	"github.com/google/pprof/profile"
)

// Decode returns the edges that the compiler reads off a profile: one that Encode has written, or a CPU profile. They
// are in no order. An empty file is a profile without edges.
//
// It does what cmd/internal/pgo.FromPProf does, with internal/profile.NewGraph. Of a stack only the last two locations
// count, with what is inlined there, and a sample counts once for each edge.
func Decode(data []byte) ([]Edge, error) {
	if len(data) == 0 {
		return nil, nil
	}
	p, err := profile.ParseData(data)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(p.SampleType, func(t *profile.ValueType) bool {
		return t.Type == "samples" && t.Unit == "count" || t.Type == "cpu" && t.Unit == "nanoseconds"
	})
	if at < 0 {
		return nil, errors.New("it has neither samples nor CPU time")
	}
	weights := make(map[Edge]int64)
	started := len(p.Sample) == 0
	for _, s := range p.Sample {
		frames := leaf(s)
		for _, f := range frames {
			started = started || f.Start != 0
		}
		for _, e := range edgesOf(frames) {
			weights[e] += s.Value[at]
		}
	}
	if !started {
		return nil, errors.New("it does not say on which lines functions start; programs built by Go 1.20 or later do")
	}
	var edges []Edge
	for e, weight := range weights {
		if e.Weight = weight; weight > 0 {
			edges = append(edges, e)
		}
	}
	return edges, nil
}

// A Frame is a function in a stack, and the line that it is at.
type Frame struct {
	Function    string // symbol; "" if it is not known
	Line, Start int64  // Start is the line where the function starts
}

// Edges returns the calls that the compiler reads off a stack: those among the functions at its last two locations. A
// location has a function and those that are inlined there, innermost first, as in a stack. The calls have no weight.
func Edges(leaf, caller []Frame) []Edge {
	var frames []placed
	for at, location := range [][]Frame{caller, leaf} {
		for _, f := range slices.Backward(location) {
			frames = append(frames, placed{f, uint64(at)})
		}
	}
	return edgesOf(frames)
}

// placed is a frame and the address that its location has in a profile.
type placed struct {
	Frame
	address uint64
}

// leaf returns the functions at the last two locations of a stack, callers first.
func leaf(s *profile.Sample) (frames []placed) {
	for _, l := range slices.Backward(s.Location[:min(2, len(s.Location))]) {
		if len(l.Line) == 0 {
			frames = append(frames, placed{address: l.Address})
		}
		for _, line := range slices.Backward(l.Line) {
			f := placed{Frame{Line: line.Line}, l.Address}
			if line.Function != nil {
				f.Function, f.Start = line.Function.Name, line.Function.StartLine
			}
			frames = append(frames, f)
		}
	}
	return frames
}

// edgesOf returns the calls in a stack. Each two frames are a call once, and a frame does not call itself.
func edgesOf(frames []placed) (edges []Edge) {
	seen := make(map[[2]placed]bool)
	for i := 1; i < len(frames); i++ {
		caller, callee := frames[i-1], frames[i]
		if caller == callee || seen[[2]placed{caller, callee}] || caller.Function == "" || callee.Function == "" {
			continue
		}
		seen[[2]placed{caller, callee}] = true
		edges = append(edges, Edge{Caller: caller.Function, Callee: callee.Function, Offset: int(caller.Line - caller.Start)})
	}
	return edges
}
