package profiletest

import (
	"bytes"
	"encoding/binary"
	"os"
	"strings"

	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// WriteFile writes r as a run file, as drawn in rt/format.go.
func (r *Run) WriteFile(name string) error {
	var args strings.Builder
	for _, a := range r.data.Args {
		args.WriteString(a + "\x00")
	}
	var f file
	f.words(
		rt.RunMagic, rt.Version, rt.MinPage, uint64(r.data.Pid), uint64(r.data.Start.UnixNano()),
		r.data.Lost, uint64(args.Len()),
	)
	f.WriteString(args.String())
	f.pad()
	// The made-up addresses of the first Hash of each package.
	address := uint64(1 << 20)
	for _, p := range r.data.Packages {
		f.packageRecord(p, address)
		for i, counts := range p.Hashes {
			f.tableRecord(counts, address+uint64(i)*rt.HashSize)
		}
		address += uint64(len(p.Hashes)) * rt.HashSize
	}
	return os.WriteFile(name, f.Bytes(), 0o666)
}

// file is a run file in the making.
type file struct{ bytes.Buffer }

func (f *file) words(words ...uint64) {
	for _, w := range words {
		f.Write(binary.LittleEndian.AppendUint64(nil, w))
	}
}

func (f *file) pad() { f.Write(make([]byte, pages(f.Len())-f.Len())) }

// pages returns n rounded up to whole pages.
func pages(n int) int { return (n + rt.MinPage - 1) &^ (rt.MinPage - 1) }

func (f *file) packageRecord(p *rundata.Package, address uint64) {
	region := pages(rt.PkgWords*8 + len(p.Path) + len(p.Table))
	size := pages(8 * len(p.Counters))
	f.words(
		rt.RecordMagic, rt.KindPackage, uint64(region+size), uint64(region), uint64(size),
		0, uint64(len(p.Counters)), uint64(len(p.Path)), uint64(len(p.Table)), address, uint64(len(p.Hashes)),
	)
	f.WriteString(p.Path)
	f.Write(p.Table)
	f.pad()
	f.words(p.Counters...)
	f.pad()
}

func (f *file) tableRecord(counts map[uint64]uint64, address uint64) {
	region := rt.TabWords * 8
	size := pages(region+len(counts)*rt.EntrySize) - region
	f.words(
		rt.RecordMagic, rt.KindTable, uint64(region+size), uint64(region), uint64(size),
		address, uint64(len(counts)), 0,
	)
	for path, n := range counts {
		f.words(path+1, n)
	}
	f.pad()
}
