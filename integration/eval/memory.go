package main

import (
	"strconv"
	"time"
)

// A memory measures how the context tree of a run grows.
type memory struct {
	at    []time.Duration // of CPU time
	kb    *measure
	nodes *measure
}

// newMemory looks at runs after some CPU times, the last of which is twelve parts long.
func newMemory(part time.Duration) *memory {
	m := new(memory)
	var columns []string
	for _, n := range []time.Duration{1, 3, 6, 12} {
		m.at = append(m.at, n*part)
		columns = append(columns, strconv.FormatFloat((n*part).Seconds(), 'g', -1, 64)+"s")
	}
	m.kb = &measure{Title: "Context tree in the run file by CPU time, kB", Columns: columns, Absolute: true}
	m.nodes = &measure{Title: "Nodes and paths in it", Columns: columns, Absolute: true}
	return m
}

func (m *memory) suite() string { return "memory" }

func (m *memory) modes() []mode { return []mode{*findMode("sampled")} }

func (m *memory) tables() []*measure { return []*measure{m.kb, m.nodes} }

func (m *memory) compare(b *bench) error {
	runs, err := b.watch("sampled", m.at)
	if err != nil {
		return err
	}
	for i, r := range runs {
		column := m.kb.Columns[i]
		m.kb.row(b).add(column, float64(r.Contexts.Bytes)/1000, nil)
		m.nodes.row(b).add(column, float64(len(r.Contexts.Nodes)+len(r.Contexts.Paths)), nil)
	}
	return nil
}
