package archive

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// BenchmarkMerge merges 10,000 runs of some 20 kB, of 40 packages, from a directory: as objects of their own, and as those of
// five days.
//
//	go test ./export/fleet/archive -run '^$' -bench Merge -benchtime 1x
func BenchmarkMerge(b *testing.B) {
	const runs = 10000
	dir := filepath.Join(b.TempDir(), "archive")
	a, err := Create(ctx, dir)
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range runs {
		start := day(1 + i%5)
		put(b, a, Run{
			Host: fmt.Sprintf("web%d.example.com", i%1000), Name: fmt.Sprintf("%d.%d", i, start.UnixNano()), Start: start,
			Service: "shop", Final: true, Tally: many(r),
		})
	}
	for _, compacted := range []string{"runs", "days"} {
		if compacted == "days" {
			compact(b, a)
		}
		b.Run(compacted, func(b *testing.B) {
			infos, err := a.store.List(ctx, "")
			if err != nil {
				b.Fatal(err)
			}
			size := int64(0)
			for _, info := range infos {
				size += info.Size
			}
			for b.Loop() {
				if builds, damaged, err := a.Merge(ctx, Select{}); err != nil || damaged != nil || builds[0].Processes() != runs {
					b.Fatal(damaged, err)
				}
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.Sys)/1e6, "MB-of-memory") // at most until now
			b.ReportMetric(float64(size)/1e6, "MB-of-objects")
			b.ReportMetric(float64(len(infos)), "objects")
		})
	}
}

// many returns what a run has counted that takes some 20 kB: 5,000 of 15,000 counters, with counts of all sizes.
func many(r *rand.Rand) *tally.Tally {
	t := new(tally.Tally)
	for i := range 40 {
		path := fmt.Sprintf("example.com/shop/package%02d", i)
		p := rundata.Sparse{Path: path, Table: []byte(path), Size: 375}
		for at := range 375 {
			if r.IntN(3) == 0 {
				p.Counters = append(p.Counters, rundata.Entry{At: uint64(at), N: 1 + uint64(r.ExpFloat64()*1e6)})
			}
		}
		t.Packages = append(t.Packages, p)
	}
	return t
}
