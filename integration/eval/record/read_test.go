package record

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/goprofinstr/goprofinstr/integration/eval/strat"
	"github.com/goprofinstr/goprofinstr/sampler/stream"
)

// TestStream takes kinds of events out of a trace of two activations, of which the second goes round a loop.
func TestStream(t *testing.T) {
	edge := func(block, e uint64) stream.Tuple { return stream.Tuple{Site: Edges<<32 | block, Value: e} }
	way := func(id uint64, edges ...stream.Tuple) path {
		return path{stream.Tuple{Site: Paths << 32, Value: id}, edges}
	}
	call := stream.Tuple{Site: Calls<<32 | 0x1234, Value: 0}
	trace := &Trace{
		paths: []path{way(0, edge(1, 1)), way(1, edge(1, 2), edge(3, 5)), way(2)},
		calls: []stream.Tuple{call},
		ends:  []end{{0, 0}, {1, 0}, {2, noCall}},
	}
	p := func(i int) stream.Tuple { return trace.paths[i].tuple }
	for _, test := range []struct {
		kinds uint64
		most  int
		want  []stream.Tuple
	}{
		{Paths, 100, []stream.Tuple{p(0), p(1), p(2)}},
		{Edges, 100, []stream.Tuple{edge(1, 1), edge(1, 2), edge(3, 5)}},
		{Edges, 2, []stream.Tuple{edge(1, 1), edge(1, 2)}},
		{Calls, 100, []stream.Tuple{call, call}},
		{Paths | Edges | Calls, 100, []stream.Tuple{call, edge(1, 1), p(0), call, edge(1, 2), edge(3, 5), p(1), p(2)}},
	} {
		s := trace.Stream(test.kinds, test.most)
		if got := expand(s); !slices.Equal(got, test.want) {
			t.Errorf("kinds %b: %v, want %v", test.kinds, got, test.want)
		}
	}
}

func expand(s *strat.Stream) []stream.Tuple {
	var list []stream.Tuple
	for _, e := range s.Events {
		list = append(list, s.Tuples[e])
	}
	return list
}

// TestSave has a trace come back from its file as it was, and no file stay that is cut off.
func TestSave(t *testing.T) {
	trace := &Trace{
		paths: []path{{stream.Tuple{Site: 1, Value: 2}, []stream.Tuple{{Site: 3, Value: 4}}}, {tuple: stream.Tuple{Site: 5}}},
		calls: []stream.Tuple{{Site: 7, Value: 8}},
		ends:  []end{{1, noCall}, {0, 0}},
	}
	name := filepath.Join(t.TempDir(), "trace.gz")
	if err := trace.Save(name); err != nil {
		t.Fatal(err)
	}
	got, err := Load(name)
	if err != nil || !reflect.DeepEqual(got, trace) {
		t.Errorf("%+v, %v; want %+v", got, err, trace)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data[:len(data)-9], 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(name); err == nil {
		t.Error("half a file was read")
	}
}
