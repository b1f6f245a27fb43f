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
	f.lastWord(runfile.MinPage, uint64(r.data.Exit))
	counters := make(map[*rundata.Package]uint64) // made-up addresses of counter 0
	// The made-up addresses of the first Hash of each package.
	address := uint64(1 << 20)
	for _, p := range r.data.Packages {
		counters[p] = 1<<40 + uint64(f.Len())
		f.packageRecord(p, address, counters[p])
		for i, counts := range p.Hashes {
			f.hashRecord(counts, address+uint64(i)*runfile.HashSize)
		}
		address += uint64(len(p.Hashes)) * runfile.HashSize
	}
	if r.data.Sampling != nil {
		f.samplingRecord(r.data.Sampling)
		f.siteRecord(r.data.Sites, counters)
		f.replicateRecord(r.data.Replicates, counters)
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

// lastWord sets the last word before an offset.
func (f *file) lastWord(offset int, word uint64) {
	binary.LittleEndian.PutUint64(f.Bytes()[offset-8:], word)
}

func (f *file) packageRecord(p *rundata.Package, address, counters uint64) {
	begin := f.Len()
	region := pages(binary.Size(runfile.PackageRecord{}) + len(p.Path) + len(p.Table) + 8)
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
	f.Write(make([]byte, begin+region-f.Len()))
	f.lastWord(f.Len(), counters)
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

func (f *file) samplingRecord(s *rundata.Sampling) {
	counted := uint64(0)
	if s.Counted {
		counted = runfile.CountsRare
	}
	if s.CountedAll {
		counted = runfile.CountedAll
	}
	binary.Write(f, binary.LittleEndian, runfile.SamplingRecord{
		Head:   runfile.Head{Magic: runfile.RecordMagic, Kind: runfile.KindSampling, Size: runfile.MinPage},
		Policy: uint64(s.Policy.Kind), Samples: uint64(s.Policy.Samples), Stride: uint64(s.Policy.Stride),
		Period: uint64(s.Period), Ticks: s.Ticks, CPU: uint64(s.CPU), Cost: uint64(s.Cost), Ends: s.Ends, Taken: s.Samples,
		Sites: s.Sites, Left: s.Left, Counted: counted, CountedEnds: s.CountedEnds, Windows: s.Windows,
	})
	f.pad()
}

// siteRecord writes sites of paths that are in arrays, without their samples.
func (f *file) siteRecord(sites []rundata.Site, counters map[*rundata.Package]uint64) {
	var list []runfile.Site
	for _, s := range sites {
		w := runfile.Site{Address: s.Address, At: counters[s.Marker.Package] + 16*s.Marker.Number}
		if s.Register {
			w.At |= runfile.SiteRegister
		}
		if s.Sampled {
			w.At |= runfile.SiteSampled
		}
		list = append(list, w)
	}
	head := f.head(runfile.KindSites, binary.Size(runfile.SiteRecord{}), binary.Size(list))
	binary.Write(f, binary.LittleEndian, runfile.SiteRecord{Head: head, Number: uint64(len(list))})
	binary.Write(f, binary.LittleEndian, list)
	f.pad()
}

func (f *file) replicateRecord(replicates []rundata.Replicate, counters map[*rundata.Package]uint64) {
	list := make([]runfile.Replicate, 1) // which is free
	for _, r := range replicates {
		group := uint64(r.Level)<<runfile.WindowLevel | uint64(r.Of)<<runfile.WindowOf |
			uint64(r.Density)<<runfile.WindowDensity
		list = append(list, runfile.Replicate{At: counters[r.Package] + 16*r.Number, Group: group, Samples: r.Samples, Sum: r.Sum})
	}
	head := f.head(runfile.KindReplicates, binary.Size(runfile.ReplicateRecord{}), binary.Size(list))
	binary.Write(f, binary.LittleEndian, runfile.ReplicateRecord{Head: head, Slots: uint64(len(list)), Used: uint64(len(list) - 1)})
	binary.Write(f, binary.LittleEndian, list)
	f.pad()
}

// head returns the head of a record whose region comes right after some bytes.
func (f *file) head(kind uint64, region, size int) runfile.Head {
	return runfile.Head{
		Magic: runfile.RecordMagic, Kind: kind, Size: uint64(pages(region + size)), Region: uint64(region), RegionSize: uint64(size),
	}
}
