package runfile

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// newHeader returns what stands before the command line in the header page, without the magic.
func newHeader(page, pid, start, argsLen U) Header {
	return Header{
		Version: Version,
		Page:    page,
		Pid:     pid,
		Start:   start,
		ArgsLen: argsLen,
	}
}

// A Package is what is known of a rewritten package.
type Package struct {
	Path     string         // import path
	Root     string         // folder that names of its files are relative to, or ""; one package of a run is enough to have it
	Table    string         // encoded path table
	Counters *U             // first element of the padded array; nil if there is none
	N        U              // counters, without padding
	Hashes   unsafe.Pointer // first of the hash tables, of HashSize bytes each
	NHashes  int
}

// newRecord returns what stands before the import path in p's record, magic included. The region is regionSize bytes
// long, and counter 0 lies at first.
func (p *Package) newRecord(page, regionSize, first U) PackageRecord {
	region := sys.RoundUp(packageHead+p.textLen()+8, page)
	return PackageRecord{
		Head:     Head{RecordMagic, KindPackage, region + regionSize, region, regionSize},
		First:    first,
		Counters: p.N,
		PathLen:  U(len(p.Path)),
		TableLen: U(len(p.Table)),
		Hash:     U(uintptr(p.Hashes)),
		Hashes:   U(p.NHashes),
	}
}

// rootOnce takes the root from p if another package has had it, and reports whether one has now.
//
//go:norace
func (p *Package) rootOnce(had bool) bool {
	if had {
		p.Root = ""
	}
	return had || p.Root != ""
}

// textLen returns how long the texts of p's record are, with the length of the root behind them if there is one.
//
//go:norace
func (p *Package) textLen() U {
	n := U(len(p.Path)) + U(len(p.Table))
	if p.Root != "" {
		n += U(len(p.Root)) + 8
	}
	return n
}

// packageHead is where the import path is in a package record.
const packageHead = U(unsafe.Sizeof(PackageRecord{}))

// encodeRun returns a whole run file, for systems where the counters are not
// mapped and everything is written at the end. It is portable so that every
// test run exercises it.
//
//go:norace
func encodeRun(pid, start, lost U, pkgs []*Package, records, contexts [][]U) []byte {
	header := newHeader(MinPage, pid, start, 0)
	header.Magic, header.Lost = RunMagic, lost
	b := padPage(appendWords(nil, unsafe.Slice(&header.Magic, HeaderSize/8)))
	rooted := false
	for _, p := range pkgs {
		rooted = p.rootOnce(rooted)
		record := p.newRecord(MinPage, sys.RoundUp(p.N*8, MinPage), 0)
		b = appendWords(b, unsafe.Slice(&record.Magic, packageHead/8))
		b = append(append(append(b, p.Path...), p.Table...), p.Root...)
		if p.Root == "" {
			b = padPage(append(b, make([]byte, 8)...))
		} else {
			b = padPage(append(b, make([]byte, 16)...))
			copy(b[len(b)-16:], appendWords(nil, []U{U(len(p.Root))}))
		}
		if len(contexts) > 0 { // whose paths are addresses, as are those of functions and replicates: see contexts.Start
			copy(b[len(b)-8:], appendWords(nil, []U{U(uintptr(unsafe.Pointer(p.Counters)))}))
		}
		b = padPage(appendWords(b, unsafe.Slice(p.Counters, p.N)))
	}
	for _, r := range records {
		if headOf(r).Magic != 0 { // else it lost the race in grow
			b = appendWords(b, r)
		}
	}
	for _, c := range contexts {
		b = appendWords(b, c)
	}
	return b
}

// FirstChunk returns where a Hash has the address of its first chunk: in its last word.
func FirstChunk(hash unsafe.Pointer) *unsafe.Pointer {
	return (*unsafe.Pointer)(unsafe.Add(hash, HashSize-unsafe.Sizeof(uintptr(0))))
}

// headOf returns the head of a record in memory.
//
//go:norace
func headOf(record []U) *Head { return (*Head)(unsafe.Pointer(&record[0])) }

//go:norace
func appendWords(b []byte, words []U) []byte {
	for _, w := range words {
		b = append(b, byte(w), byte(w>>8), byte(w>>16), byte(w>>24), byte(w>>32), byte(w>>40), byte(w>>48), byte(w>>56))
	}
	return b
}

func padPage(b []byte) []byte {
	return append(b, make([]byte, sys.RoundUp(U(len(b)), MinPage)-U(len(b)))...)
}

// MaxChunk bounds the size of a hash chunk in bytes, and a Hash to twice that:
// about two million paths. It is for functions whose path number is as
// good as random data (an interpreter's loop body), which would otherwise
// fill the disk.
const MaxChunk = 16 << 20

// newStreamRecord returns what stands before the specification in a stream record, magic included. The region is
// regionSize bytes long and begins at a page boundary behind the specification.
//
//go:norace
func newStreamRecord(page, regionSize, rate, bits, address U, spec string) StreamRecord {
	region := sys.RoundUp(streamHead+U(len(spec))+8, page)
	return StreamRecord{
		Head:    Head{RecordMagic, KindStream, region + regionSize, region, regionSize},
		Rate:    rate,
		Bits:    bits,
		Address: address,
		SpecLen: U(len(spec)),
	}
}

// streamHead is where the specification is in a stream record.
const streamHead = U(unsafe.Sizeof(StreamRecord{}))
