package record

import (
	"bufio"
	"compress/gzip"
	"encoding/gob"
	"fmt"
	"io"
	"os"

	"github.com/goprofinstr/goprofinstr/sampler/stream"
)

// saved is a trace in a file.
type saved struct {
	EndPaths, EndCalls []uint32
	Tuples             []stream.Tuple // of paths
	Branches           [][]stream.Tuple
	Calls              []stream.Tuple
}

// Save writes a trace to a file.
func (t *Trace) Save(name string) error {
	s := saved{Calls: t.calls}
	for _, e := range t.ends {
		s.EndPaths, s.EndCalls = append(s.EndPaths, e.path), append(s.EndCalls, e.call)
	}
	for _, p := range t.paths {
		s.Tuples, s.Branches = append(s.Tuples, p.tuple), append(s.Branches, p.edges)
	}
	f, err := os.Create(name + ".new") // which is no trace if it is cut off
	if err != nil {
		return err
	}
	defer f.Close()
	z, _ := gzip.NewWriterLevel(f, gzip.BestSpeed)
	if err := gob.NewEncoder(z).Encode(s); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// Load reads what Save has written.
func Load(name string) (*Trace, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var s saved
	err = gob.NewDecoder(z).Decode(&s)
	if err == nil {
		_, err = io.Copy(io.Discard, z) // to the checksum
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t := &Trace{calls: s.Calls}
	for i := range s.EndPaths {
		t.ends = append(t.ends, end{s.EndPaths[i], s.EndCalls[i]})
	}
	for i := range s.Tuples {
		t.paths = append(t.paths, path{s.Tuples[i], s.Branches[i]})
	}
	return t, nil
}
