package record

import (
	"encoding/binary"
	"fmt"
	"os"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/integration/eval/strat"
	"github.com/goprofinstr/goprofinstr/sampler/stream"
)

// Kinds of events of a trace, which are in the upper half of their sites.
const (
	Paths = 1 << iota // site: function; value: path number
	Edges             // site: block with several successors; value: the edge
	Calls             // site: return address; value: function that is called
)

// A Trace is what a program did.
type Trace struct {
	ends  []end  // path ends, in order
	paths []path // distinct ones
	calls []stream.Tuple
}

// An end is a path end.
type end struct {
	path uint32 // index in paths
	call uint32 // index in calls, or noCall
}

const noCall = ^uint32(0)

type path struct {
	tuple stream.Tuple
	edges []stream.Tuple // those that are one of several out of their block, in order
}

// Ends returns how many path ends there are.
func (t *Trace) Ends() int { return len(t.ends) }

// EventBytes is the length of a path end in a recording.
const EventBytes = 4 * 8

// Read reads a recording. The program is the one that made it, and the profile of a run of it; only the path tables are used.
func Read(name, program string, p *profile.Profile) (*Trace, error) {
	image, err := readImage(program, p)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	r := &reader{image: image, paths: make(map[key]uint32), calls: make(map[stream.Tuple]uint32)}
	for ; len(data) >= EventBytes; data = data[EventBytes:] {
		var words [4]uint64
		for i := range words {
			words[i] = binary.LittleEndian.Uint64(data[8*i:])
		}
		if words[0] == 0 { // the program ended before
			break
		}
		if err := r.add(words); err != nil {
			return nil, fmt.Errorf("%s: path end %d: %w", name, len(r.trace.ends), err)
		}
	}
	if len(r.trace.ends) == 0 {
		return nil, fmt.Errorf("%s: nothing was recorded", name)
	}
	return &r.trace, nil
}

// A reader makes a trace.
type reader struct {
	image *image
	trace Trace
	paths map[key]uint32
	calls map[stream.Tuple]uint32

	function []int  // of each path
	entry    []bool // whether each path begins at the entry
}

// A key is a path as a probe knows it.
type key struct{ at, path uint64 }

// add adds a path end.
func (r *reader) add(words [4]uint64) error {
	k := key{words[0], words[1]}
	i, ok := r.paths[k]
	if !ok {
		function, id, err := r.image.find(k)
		if err != nil {
			return err
		}
		if err := r.addPath(function, id); err != nil {
			return err
		}
		i = uint32(len(r.trace.paths) - 1)
		r.paths[k] = i
	}
	e := end{i, noCall}
	if r.entry[i] && r.image.isIn(words[2], r.function[i]) {
		e.call = r.call(stream.Tuple{Site: Calls<<32 | words[3], Value: uint64(r.function[i])})
	}
	r.trace.ends = append(r.trace.ends, e)
	return nil
}

func (r *reader) addPath(function int, id uint64) error {
	f := r.image.functions[function]
	decoded, err := r.image.decoder(function).Path(id)
	if err != nil {
		return err
	}
	p := path{tuple: stream.Tuple{Site: Paths<<32 | uint64(function), Value: id}}
	branch := f.BranchEdges()
	for _, e := range decoded.Edges {
		if branch[e] {
			site := Edges<<32 | r.image.firstBlock[function] + uint64(f.Table.Edges[e].From)
			p.edges = append(p.edges, stream.Tuple{Site: site, Value: uint64(e)})
		}
	}
	r.trace.paths = append(r.trace.paths, p)
	r.function, r.entry = append(r.function, function), append(r.entry, !decoded.Loop)
	return nil
}

// call returns the index of a call.
func (r *reader) call(t stream.Tuple) uint32 {
	i, ok := r.calls[t]
	if !ok {
		i = uint32(len(r.trace.calls))
		r.calls[t] = i
		r.trace.calls = append(r.trace.calls, t)
	}
	return i
}

// Stream returns the first events of some kinds, most of them. A call is before the first path of its activation, and a path
// behind its edges.
func (t *Trace) Stream(kinds uint64, most int) *strat.Stream {
	b := strat.NewBuilder()
	for _, e := range t.ends {
		p := &t.paths[e.path]
		if kinds&Calls != 0 && e.call != noCall {
			b.Add(t.calls[e.call])
		}
		if kinds&Edges != 0 {
			for _, edge := range p.edges {
				b.Add(edge)
			}
		}
		if kinds&Paths != 0 {
			b.Add(p.tuple)
		}
		if b.Len() >= most {
			break
		}
	}
	return b.Stream(most)
}
