package profiletest

import (
	"bytes"
	"encoding/binary"
	"os"
	"strings"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// WriteFile writes r as a run file, as drawn in rt/runfile/format.go.
func (r *Run) WriteFile(name string) error {
	var args strings.Builder
	for _, a := range r.data.Args {
		args.WriteString(a + "\x00")
	}
	var f file
	binary.Write(&f, binary.LittleEndian, runfile.Header{
		Magic: runfile.RunMagic, Version: runfile.Version, Page: runfile.MinPage,
		Pid: uint64(r.data.Pid), Start: uint64(r.data.Start.UnixNano()), Lost: r.data.Lost, ArgsLen: uint64(args.Len()),
	})
	f.WriteString(args.String())
	f.pad()
	// The made-up addresses of the first Hash of each package.
	address := uint64(1 << 20)
	for _, p := range r.data.Packages {
		f.packageRecord(p, address)
		for i, counts := range p.Hashes {
			f.hashRecord(counts, address+uint64(i)*runfile.HashSize)
		}
		address += uint64(len(p.Hashes)) * runfile.HashSize
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
func pages(n int) int { return (n + runfile.MinPage - 1) &^ (runfile.MinPage - 1) }

func (f *file) packageRecord(p *rundata.Package, address uint64) {
	region := pages(binary.Size(runfile.PackageRecord{}) + len(p.Path) + len(p.Table))
	size := pages(8 * len(p.Counters))
	binary.Write(f, binary.LittleEndian, runfile.PackageRecord{
		Head: runfile.Head{
			Magic: runfile.RecordMagic, Kind: runfile.KindPackage,
			Size: uint64(region + size), Region: uint64(region), RegionSize: uint64(size),
		},
		Counters: uint64(len(p.Counters)), PathLen: uint64(len(p.Path)), TableLen: uint64(len(p.Table)),
		Hash: address, Hashes: uint64(len(p.Hashes)),
	})
	f.WriteString(p.Path)
	f.Write(p.Table)
	f.pad()
	f.words(p.Counters...)
	f.pad()
}

func (f *file) hashRecord(counts map[uint64]uint64, address uint64) {
	region := binary.Size(runfile.HashRecord{})
	size := pages(region+len(counts)*runfile.EntrySize) - region
	binary.Write(f, binary.LittleEndian, runfile.HashRecord{
		Head: runfile.Head{
			Magic: runfile.RecordMagic, Kind: runfile.KindHash,
			Size: uint64(region + size), Region: uint64(region), RegionSize: uint64(size),
		},
		Hash: address, Entries: uint64(len(counts)),
	})
	for path, n := range counts {
		f.words(path+1, n)
	}
	f.pad()
}
