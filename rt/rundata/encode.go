package rundata

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rt/event"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// Encode returns the run file of a run: what it has counted and what nothing can, what values are called, and what it is of. All
// that was sampled, tests and calling contexts are left out. Addresses has what the file says is the address of counter 0 of
// each package.
func Encode(r *Run) (data []byte, addresses map[*Package]uint64) {
	args := strings.Join(append(slices.Clone(r.Args), ""), "\x00")
	args = args[:min(len(args), int(runfile.IdentityAt(runfile.MinPage)-runfile.HeaderSize))] // which may be of a larger page
	var f file
	f.record(runfile.Header{
		Magic: runfile.RunMagic, Version: runfile.Version, Page: runfile.MinPage,
		Pid: uint64(r.Pid), Start: uint64(r.Start.UnixNano()), Lost: r.Lost, ArgsLen: uint64(len(args)),
	}, args)
	f.lastWord(runfile.MinPage, uint64(r.Exit))
	addresses = make(map[*Package]uint64)
	hash := uint64(1 << 20) // address of the first Hash of a package
	hashes := make(map[*Package]uint64)
	for _, p := range r.Packages {
		hashes[p] = hash
		addresses[p] = 1<<40 + uint64(f.Len())
		f.packageRecord(p, hash, addresses[p])
		for i, counts := range p.Hashes {
			if len(counts) > 0 {
				f.hashRecord(counts, hash+uint64(i)*runfile.HashSize)
			}
		}
		hash += uint64(len(p.Hashes)) * runfile.HashSize
	}
	if len(r.Names) > 0 {
		f.namesRecord(r.Names)
	}
	if len(r.Uncounted) > 0 {
		f.functionRecord(r.Uncounted, addresses, hashes)
	}
	if r.Service != "" || r.Attributes != "" {
		size := binary.Size(runfile.LabelRecord{})
		f.record(runfile.LabelRecord{
			Head: head(runfile.KindLabels, size, len(r.Service)+len(r.Attributes)), ServiceLen: uint64(len(r.Service)),
			AttributesLen: uint64(len(r.Attributes)),
		}, r.Service+r.Attributes)
	}
	return f.Bytes(), addresses
}

// A file is a run file in the making.
type file struct{ bytes.Buffer }

// record writes a record and a text behind it, up to the end of a page.
func (f *file) record(r any, text string) {
	binary.Write(f, binary.LittleEndian, r)
	f.WriteString(text)
	f.pad()
}

func (f *file) pad() { f.Write(make([]byte, pages(f.Len())-f.Len())) }

// pages returns n rounded up to whole pages.
func pages(n int) int { return (n + runfile.MinPage - 1) &^ (runfile.MinPage - 1) }

// lastWord sets the last word before an offset.
func (f *file) lastWord(offset int, word uint64) {
	binary.LittleEndian.PutUint64(f.Bytes()[offset-8:], word)
}

// head returns the head of a record whose region comes right after some bytes.
func head(kind uint64, region, size int) runfile.Head {
	return runfile.Head{
		Magic: runfile.RecordMagic, Kind: kind, Size: uint64(pages(region + size)), Region: uint64(region), RegionSize: uint64(size),
	}
}

func (f *file) packageRecord(p *Package, hash, address uint64) {
	region := pages(binary.Size(runfile.PackageRecord{}) + len(p.Path) + len(p.Table) + 8)
	size := pages(8 * len(p.Counters))
	f.record(runfile.PackageRecord{
		Head: runfile.Head{
			Magic: runfile.RecordMagic, Kind: runfile.KindPackage,
			Size: uint64(region + size), Region: uint64(region), RegionSize: uint64(size),
		},
		Counters: uint64(len(p.Counters)), PathLen: uint64(len(p.Path)), TableLen: uint64(len(p.Table)),
		Hash: hash, Hashes: uint64(len(p.Hashes)),
	}, p.Path+string(p.Table)+"\x00\x00\x00\x00\x00\x00\x00\x00")
	f.lastWord(f.Len(), address)
	for _, n := range p.Counters {
		f.Write(binary.LittleEndian.AppendUint64(nil, n))
	}
	f.pad()
}

func (f *file) hashRecord(counts map[uint64]uint64, address uint64) {
	region := binary.Size(runfile.HashRecord{})
	entries := Entries(counts)
	head := head(runfile.KindHash, region, len(entries)*runfile.EntrySize)
	head.RegionSize = head.Size - head.Region
	var text strings.Builder
	for _, e := range entries {
		binary.Write(&text, binary.LittleEndian, runfile.HashEntry{Path: e.At + 1, Count: e.N})
	}
	f.record(runfile.HashRecord{Head: head, Hash: address, Entries: uint64(len(entries))}, text.String())
}

func (f *file) namesRecord(names map[uint64]Name) {
	var text strings.Builder
	for _, v := range slices.Sorted(maps.Keys(names)) {
		name, flags := names[v], uint64(0)
		if name.ByValue {
			flags = event.ByValue
		}
		binary.Write(&text, binary.LittleEndian, runfile.NameEntry{Value: v, Length: uint64(len(name.Text)) | flags<<32})
		text.WriteString(name.Text)
		text.Write(make([]byte, -len(name.Text)&7))
	}
	region := binary.Size(runfile.NamesRecord{})
	f.record(runfile.NamesRecord{
		Head: head(runfile.KindNames, region, text.Len()), Used: uint64(region + text.Len()),
	}, text.String())
}

// functionRecord writes which functions nothing can count, given the addresses of counter 0 and of Hash 0 of each package.
func (f *file) functionRecord(list []Uncounted, counters, hashes map[*Package]uint64) {
	var text strings.Builder
	for _, u := range list {
		at := counters[u.Package] + 16*u.Number
		if u.Hash >= 0 {
			at = hashes[u.Package] + uint64(u.Hash)*runfile.HashSize | runfile.SiteHash
		}
		binary.Write(&text, binary.LittleEndian, at|uint64(u.Reason)<<runfile.SiteReason|runfile.SiteUncounted)
	}
	region := binary.Size(runfile.FunctionRecord{})
	f.record(runfile.FunctionRecord{
		Head: head(runfile.KindFunctions, region, text.Len()), Number: uint64(len(list)),
	}, text.String())
}
