package parquet

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/fleet/archive"
	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// BenchmarkArchive writes the paths of 10,000 runs of a thousand functions in an archive, of five days and two environments.
// They are objects of their own, or those of days. Memory is the most that was ever taken, the writing of the archive included.
//
//	go test ./export/parquet -run '^$' -bench Archive -benchtime 1x
func BenchmarkArchive(b *testing.B) {
	const runs = 10000
	ctx := context.Background()
	a, err := archive.Create(ctx, filepath.Join(b.TempDir(), "archive"))
	if err != nil {
		b.Fatal(err)
	}
	tables := manyTables()
	r := rand.New(rand.NewPCG(1, 2))
	for i := range runs {
		start := day(1 + i%5)
		err := a.PutRun(ctx, archive.Run{
			Host: fmt.Sprintf("web%d", i%1000), Name: fmt.Sprintf("%d.%d", i, start.UnixNano()), Start: start, Service: "shop", Final: true,
			Attributes: fmt.Sprint("deployment.environment=", i%2), Tally: executed(r, tables),
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	for _, compacted := range []string{"runs", "days"} {
		if compacted == "days" {
			if _, err := a.Compact(ctx, archive.Select{}); err != nil {
				b.Fatal(err)
			}
		}
		b.Run(compacted, func(b *testing.B) {
			size := int64(0)
			for b.Loop() {
				size = writeArchive(b, a)
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.Sys)/1e6, "MB-of-memory")
			b.ReportMetric(float64(size)/1e6, "MB-of-Parquet")
		})
	}
}

// writeArchive writes the paths of an archive, and returns how many bytes that are.
func writeArchive(b *testing.B, a *archive.Archive) int64 {
	var n counter
	w, err := NewWriter(&n, Paths)
	if err != nil {
		b.Fatal(err)
	}
	tables, runs := new(profile.Tables), 0
	damaged, err := a.Groups(context.Background(), archive.Select{}, func(g *archive.Group) error {
		p, err := g.Profile(tables)
		if err != nil {
			return err
		}
		runs += g.Processes()
		return w.Write(&Group{
			Service: g.Service, Labels: g.Labels, Build: g.ID, Day: g.Oldest(), First: g.Oldest(), Last: g.Newest(),
			Runs: g.Processes(), Hosts: g.Hosts(),
		}, p)
	})
	if err != nil || damaged != nil || runs != 10000 {
		b.Fatal(runs, damaged, err)
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	return int64(n)
}

// A counter counts the bytes that are written to it.
type counter int64

func (n *counter) Write(data []byte) (int, error) {
	*n += counter(len(data))
	return io.Discard.Write(data)
}

// manyTables returns what a run of 40 packages of 25 functions has that has executed nothing.
func manyTables() (list []rundata.Sparse) {
	for i := range 40 {
		path := fmt.Sprintf("example.com/shop/package%02d", i)
		var functions []table.Function
		for j := range 25 {
			f := profiletest.Lex().Functions[0]
			f.Name, f.Line, f.Entries = fmt.Sprintf("%s.Words%d", path, j), 20*j+1, 0
			functions = append(functions, f)
		}
		t := profiletest.Package(path, functions...)
		data, err := t.Encode()
		if err != nil {
			panic(err)
		}
		list = append(list, rundata.Sparse{Path: path, Table: data, Size: int(t.Counters)})
	}
	return list
}

// executed returns a run that has executed a third of all paths.
func executed(r *rand.Rand, packages []rundata.Sparse) *tally.Tally {
	t := tally.OfSparse(packages, nil, 0)
	for i := range t.Packages {
		p := &t.Packages[i]
		for at := range p.Size {
			if r.IntN(3) == 0 {
				p.Counters = append(p.Counters, rundata.Entry{At: uint64(at), N: 1 + uint64(r.ExpFloat64()*1e6)})
			}
		}
	}
	return t
}
