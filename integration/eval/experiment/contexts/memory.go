package contexts

import (
	"strconv"
	"time"

	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// A memory measures how the context tree of a run grows.
type memory struct {
	at    []time.Duration // of CPU time
	kb    *result.Measure
	nodes *result.Measure
}

// newMemory looks at runs after some CPU times, the last of which is twelve parts long.
func newMemory(part time.Duration) *memory {
	m := new(memory)
	var columns []string
	for _, n := range []time.Duration{1, 3, 6, 12} {
		m.at = append(m.at, n*part)
		columns = append(columns, strconv.FormatFloat((n*part).Seconds(), 'g', -1, 64)+"s")
	}
	m.kb = &result.Measure{Title: "Context tree in the run file by CPU time, kB", Columns: columns, Absolute: true}
	m.nodes = &result.Measure{Title: "Nodes and paths in it", Columns: columns, Absolute: true}
	return m
}

func (m *memory) suite() string { return "memory" }

func (m *memory) modes() []lab.Mode { return []lab.Mode{*lab.FindMode("sampled")} }

func (m *memory) tables() []*result.Measure { return []*result.Measure{m.kb, m.nodes} }

func (m *memory) compare(b *lab.Bench) error {
	runs, err := b.Watch("sampled", m.at)
	if err != nil {
		return err
	}
	for i, r := range runs {
		column := m.kb.Columns[i]
		b.Row(m.kb).Add(column, float64(r.Contexts.Bytes)/1000, nil)
		b.Row(m.nodes).Add(column, float64(len(r.Contexts.Nodes)+len(r.Contexts.Paths)), nil)
	}
	return nil
}
