//go:build linux

package integration

import (
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// TestStratifiedMemory holds what a run file takes against the bound of docs/design/strata.md. For each thread, and once more
// for the program, this is 8 bytes for each counter, 4 for each stratum, and some pages. Hash tables of messages have 16 bytes
// for a path that had one, and are at most a quarter full.
func TestStratifiedMemory(t *testing.T) {
	dir := copyProgram(t, "exact")
	const strata = 4096
	t.Setenv("GOMAXPROCS", "4")
	run(t, dir, goprofinstr, "wrap", "-mode", "stratified", "-count-up-to", "2", "-sampler", "H[P100]4096", "-o", "out", "go", "run", ".")
	files := profiledir.Glob(filepath.Join(dir, "out"))
	if len(files) != 1 {
		t.Fatalf("run files %v", files)
	}
	r, err := rundata.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	page := int64(os.Getpagesize())
	shards, tables := recordsOf(t, files[0], page)
	if shards == 0 || tables == 0 {
		t.Fatalf("%d shards, %d bytes of hash tables", shards, tables)
	}
	counters, others, paths := int64(0), page, int64(0)
	for _, p := range r.Packages {
		counters += 8*int64(len(p.Counters)) + 2*page // of which parts belong to other data
		others += int64(len(p.Table)) + 2*page
		for _, h := range p.Hashes {
			paths += int64(len(h))
		}
	}
	bound := (1+shards)*(counters+4*strata+4*page) + tables + others
	var info syscall.Stat_t
	if err := syscall.Stat(files[0], &info); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d shards, %d bytes of hash tables for %d paths: %d bytes, at most %d", shards, tables, paths, info.Blocks*512, bound)
	if info.Blocks*512 > bound {
		t.Errorf("%d bytes, want %d at most", info.Blocks*512, bound)
	}
	if most := 4*runfile.EntrySize*paths + page*int64(len(r.Packages[0].Hashes)); tables > most {
		t.Errorf("%d bytes of hash tables for %d paths", tables, paths)
	}
}

// recordsOf returns how many shards a run file has, and the bytes of its hash tables. Records begin at pages.
func recordsOf(t *testing.T, file string, page int64) (shards, tables int64) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var head runfile.Head
	for at := page; ; at += page {
		if err := binary.Read(io.NewSectionReader(f, at, page), binary.LittleEndian, &head); err != nil {
			return shards, tables
		}
		switch {
		case head.Magic != runfile.RecordMagic:
		case head.Kind == runfile.KindShard:
			shards++
		case head.Kind == runfile.KindHash:
			tables += int64(head.Size)
		}
	}
}
