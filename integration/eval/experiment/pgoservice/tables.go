package pgoservice

import (
	"fmt"

	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// tables have a row for each kind of requests. They are nil for what is not asked for.
type tables struct{ cpu, time, instructions *result.Measure }

func (x *Experiment) newTables(r *result.Report, modes []string) *tables {
	add := func(title, unit string) *result.Measure {
		m := &result.Measure{Title: title, Unit: unit, Columns: modes}
		for _, k := range kinds {
			m.Rows = append(m.Rows, result.NewRow("service", k.name))
		}
		r.Measures = append(r.Measures, m)
		return m
	}
	t := new(tables)
	if x.rounds > 0 {
		t.cpu = add(fmt.Sprintf("CPU time of the service for a request, with GOMAXPROCS=%d: "+
			"ratio of the least times, 95%% interval", x.procs), "ns")
		t.time = add(fmt.Sprintf("Time of a request, of %d at a time: ratio of the least times, 95%% interval", connections), "ns")
	}
	if x.callgrind {
		t.instructions = add("Instructions of the service for a request, by callgrind", "instructions")
	}
	return t
}

func (t *tables) add(kind int, mode string, c cost) {
	t.cpu.Rows[kind].Add(mode, c.cpu, nil)
	t.time.Rows[kind].Add(mode, c.time, nil)
}
