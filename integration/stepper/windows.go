package main

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/rewrite/copies"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
	rtcopies "github.com/goprofinstr/goprofinstr/rt/copies"
	"github.com/goprofinstr/goprofinstr/rt/pathlog"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// Windows are what programs of users have: after ticks, weighed, and with a budget. Here estimates are held against exact counts.

// An estimate is of a path, in executions.
type estimate struct {
	f                *pathmap.Func
	path             uint64
	estimated, exact float64
}

// estimates runs a program with windows, and returns the estimates of all paths, also of those that are not known.
func (b *bench) estimates(c *copiedProgram, args []string, env ...string) (map[*pathmap.Func][]float64, error) {
	data := filepath.Join(b.work, "windows.out")
	if err := errors.Join(os.RemoveAll(data), os.MkdirAll(data, 0o777)); err != nil {
		return nil, err
	}
	env = append([]string{profiledir.Var + "=" + data, "GOGC=100"}, env...)
	if _, err := b.count(c, copies.Settings{Mode: rtcopies.Sampled}, args, env...); err != nil {
		return nil, err
	}
	counters, err := os.ReadFile(filepath.Join(b.work, "counters"))
	if err != nil {
		return nil, err
	}
	all := make(map[*pathmap.Func][]float64)
	for f, t := range c.counted {
		if t.At&pathlog.Spread != 0 {
			continue // windows of functions with so many paths are not compared
		}
		for k := range t.Paths + 1 {
			n := binary.LittleEndian.Uint64(counters[rtcopies.StatsSize+8*(t.At+k):])
			all[f] = append(all[f], float64(n)/runfile.SampleUnit)
		}
	}
	return all, nil
}

// An accuracy says how good estimates are.
type accuracy struct {
	ratio   float64 // of all estimated executions to all executions, of functions that are counted
	unknown float64 // share of estimated executions whose path is not known
	overlap float64 // of the path profiles, of what is told
	paths   []estimate
}

func (c *copiedProgram) accuracy(all map[*pathmap.Func][]float64, exact *report) (a accuracy, err error) {
	var sum, unknown, executions, told, toldExact float64
	executed := exact.executed()
	for _, row := range exact.rows {
		of, ok := all[row.f]
		if !ok {
			continue
		}
		d, err := row.f.Decoder()
		if err != nil {
			return a, err
		}
		for id, n := range of {
			sum += n
			if uint64(id) == d.NumPaths() {
				unknown += n
				continue
			}
			executions += float64(row.exact[uint64(id)])
			if c.told(row.f, d, uint64(id), executed) == "" {
				told, toldExact = told+n, toldExact+float64(row.exact[uint64(id)])
				a.paths = append(a.paths, estimate{row.f, uint64(id), n, float64(row.exact[uint64(id)])})
			}
		}
	}
	a.ratio, a.unknown = sum/max(1, executions), unknown/max(1, sum)
	for i := range a.paths {
		p := &a.paths[i]
		p.estimated, p.exact = p.estimated/max(1, told), p.exact/max(1, toldExact)
		a.overlap += min(p.estimated, p.exact)
	}
	slices.SortFunc(a.paths, func(p, q estimate) int { return cmp.Compare(q.error(), p.error()) })
	return a, nil
}

// error is how far the estimate of a share is off.
func (e estimate) error() float64 { return max(e.estimated-e.exact, e.exact-e.estimated) }

// inWindows prints what windows come to.
func (b *bench) inWindows(args []string) error {
	c, err := copyProgram(b.program, b.pkg)
	if err != nil {
		return err
	}
	exact, err := b.exactly(args)
	if err != nil {
		return err
	}
	for range b.times {
		all, err := b.estimates(c, args)
		if err != nil {
			return err
		}
		a, err := c.accuracy(all, exact)
		if err != nil {
			return err
		}
		fmt.Printf("overlap %.4f, all estimates %.3f of the truth, %.4f of them unknown\n  %+v\n", a.overlap, a.ratio, a.unknown, c.stats)
		for _, p := range a.paths[:min(len(a.paths), b.worst)] {
			fmt.Printf("  %s path %d: %.4f, exact %.4f\n", p.f.Name, p.path, p.estimated, p.exact)
		}
	}
	return nil
}
