package profiletest

import (
	"bytes"
	"encoding/binary"
	"os"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// WriteFile writes r as a run file, as drawn in rt/runfile/format.go.
func (r *Run) WriteFile(name string) error {
	data, counters := rundata.Encode(r.data)
	var f file
	f.Write(data)
	if r.data.Sampling != nil {
		f.samplingRecord(r.data.Sampling)
		f.siteRecord(r.data.Sites, counters)
		f.replicateRecord(r.data.Replicates, counters)
	}
	if r.data.Service+r.data.Attributes != "" {
		f.labelRecord(r.data.Service, r.data.Attributes)
	}
	return os.WriteFile(name, f.Bytes(), 0o666)
}

// file is a run file in the making.
type file struct{ bytes.Buffer }

func (f *file) pad() { f.Write(make([]byte, pages(f.Len())-f.Len())) }

// pages returns n rounded up to whole pages.
func pages(n int) int { return (n + runfile.MinPage - 1) &^ (runfile.MinPage - 1) }

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

func (f *file) labelRecord(service, attributes string) {
	head := f.head(runfile.KindLabels, binary.Size(runfile.LabelRecord{}), len(service)+len(attributes))
	head.Region, head.RegionSize = 0, 0
	binary.Write(f, binary.LittleEndian, runfile.LabelRecord{
		Head: head, ServiceLen: uint64(len(service)), AttributesLen: uint64(len(attributes)),
	})
	f.WriteString(service + attributes)
	f.pad()
}

// head returns the head of a record whose region comes right after some bytes.
func (f *file) head(kind uint64, region, size int) runfile.Head {
	return runfile.Head{
		Magic: runfile.RecordMagic, Kind: kind, Size: uint64(pages(region + size)), Region: uint64(region), RegionSize: uint64(size),
	}
}
