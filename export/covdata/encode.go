package covdata

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"math"
	"slices"
	"strconv"

	"github.com/goprofinstr/goprofinstr/export/coverprofile"
)

// What is written, as internal/coverage/defs.go of the Go toolchain has it.

const (
	version     = 1
	perBlock    = 1 // granularity
	granularity = "perblock"
	uleb128     = 2 // flavor of counters

	metaFileHeader   = 56
	packageHeader    = 44
	segmentHeader    = 16
	mostCounterValue = math.MaxUint32
)

var (
	metaMagic    = []byte("\x00cvm")
	counterMagic = []byte("\x00cwm")
)

// counterModes are numbers of modes.
var counterModes = map[string]byte{"set": 1, "count": 2, "atomic": 3}

// modeName is the inverse.
func modeName(mode byte) string {
	for name, m := range counterModes {
		if m == mode {
			return name
		}
	}
	panic("BUG: unknown mode of counters")
}

// A digest is the hash of packages.
type digest [16]byte

// metaFile is a file of packages.
type metaFile struct {
	hash digest
	data []byte
}

// encodeMeta encodes packages.
func encodeMeta(packages []*pkg, mode byte) metaFile {
	var m metaFile
	h := fnv.New128a()
	var blobs [][]byte
	for _, p := range packages {
		sum := p.hash()
		h.Write(sum[:])
		blobs = append(blobs, p.encode(sum))
	}
	h.Write([]byte(modeName(mode)))
	h.Write([]byte(granularity))
	copy(m.hash[:], h.Sum(nil))

	var strings stringTable
	strings.index("")
	text := strings.encode()
	at := uint64(metaFileHeader + 16*len(blobs))
	total := at + uint64(len(text))
	for _, b := range blobs {
		total += uint64(len(b))
	}
	b := encoder(slices.Clone(metaMagic))
	b.u32(version)
	b.u64(total)
	b.u64(uint64(len(blobs)))
	b = append(b, m.hash[:]...)
	b.u32(uint32(at))
	b.u32(uint32(len(text)))
	b = append(b, mode, perBlock, 0, 0, 0, 0, 0, 0)
	off := at + uint64(len(text))
	for _, blob := range blobs {
		b.u64(off)
		off += uint64(len(blob))
	}
	for _, blob := range blobs {
		b.u64(uint64(len(blob)))
	}
	b = append(b, text...)
	for _, blob := range blobs {
		b = append(b, blob...)
	}
	m.data = b
	return m
}

// hash returns the hash of a package.
func (p *pkg) hash() (sum digest) {
	h := fnv.New128a()
	h.Write([]byte(p.path + p.name + p.module))
	for _, f := range p.functions {
		h.Write([]byte(f.name + f.file))
		var b encoder
		for i := range f.extents {
			for _, n := range numbers(&f.extents[i]) {
				b.u32(n)
			}
		}
		b.u32(f.isLiteral())
		h.Write(b)
	}
	copy(sum[:], h.Sum(nil))
	return sum
}

// numbers are what is encoded of an extent.
func numbers(e *coverprofile.Extent) [5]uint32 {
	return [5]uint32{uint32(e.StartLine), uint32(e.StartCol), uint32(e.EndLine), uint32(e.EndCol), uint32(e.Stmts)}
}

func (f *function) isLiteral() uint32 {
	if f.literal {
		return 1
	}
	return 0
}

// encode encodes a package.
func (p *pkg) encode(sum digest) []byte {
	var strings stringTable
	strings.index("")
	path, name, module := strings.index(p.path), strings.index(p.name), strings.index(p.module)
	var functions []encoder
	for _, f := range p.functions {
		var b encoder
		b.uleb(uint64(len(f.extents)))
		b.uleb(uint64(strings.index(f.name)))
		b.uleb(uint64(strings.index(f.file)))
		for i := range f.extents {
			for _, n := range numbers(&f.extents[i]) {
				b.uleb(uint64(n))
			}
		}
		b.uleb(uint64(f.isLiteral()))
		functions = append(functions, b)
	}
	text := strings.encode()
	b := make(encoder, 4) // for the length
	b.u32(name)
	b.u32(path)
	b.u32(module)
	b = append(append(b, sum[:]...), 0, 0, 0, 0)
	b.u32(uint32(len(strings.list)))
	b.u32(uint32(len(functions)))
	off := uint32(packageHeader + 4*len(functions) + len(text))
	for _, f := range functions {
		b.u32(off)
		off += uint32(len(f))
	}
	b = append(b, text...)
	for _, f := range functions {
		b = append(b, f...)
	}
	binary.LittleEndian.PutUint32(b, uint32(len(b)))
	return b
}

// encodeCounters encodes the counts of packages: one segment, as of one process.
func encodeCounters(packages []*pkg, mode byte, hash digest, args []string) []byte {
	var counters encoder
	entries := uint64(0)
	for i, p := range packages {
		for j, f := range p.functions {
			if !f.isExecuted() {
				continue
			}
			entries++
			counters.uleb(uint64(len(f.counts)))
			counters.uleb(uint64(i))
			counters.uleb(uint64(j))
			for _, n := range f.counts {
				counters.uleb(counterValue(n, mode))
			}
		}
	}
	b := encoder(slices.Clone(counterMagic))
	b.u32(version)
	b = append(b, hash[:]...)
	b = append(b, uleb128, 0, 0, 0, 0, 0, 0, 0)
	text, arguments := encodeArguments(args)
	for (segmentHeader+len(text)+len(arguments))%4 != 0 {
		arguments = append(arguments, 0)
	}
	b.u64(entries)
	b.u32(uint32(len(text)))
	b.u32(uint32(len(arguments)))
	b = append(append(append(b, text...), arguments...), counters...)
	b = append(append(b, counterMagic...), 0, 0, 0, 0)
	b.u32(1) // segment
	b.u32(0)
	return b
}

// counterValue returns what a counter has of executions.
func counterValue(n int64, mode byte) uint64 {
	if mode == counterModes["set"] {
		n = min(n, 1)
	}
	return uint64(min(n, mostCounterValue))
}

// encodeArguments encodes a command line: a table of strings, and pairs of a name and a value that are in it.
func encodeArguments(args []string) (text, pairs encoder) {
	type pair struct{ name, value string }
	list := []pair{{"argc", strconv.Itoa(len(args))}}
	for i, a := range args {
		list = append(list, pair{"argv" + strconv.Itoa(i), a})
	}
	slices.SortFunc(list, func(a, b pair) int { return cmp.Compare(a.name, b.name) })
	var strings stringTable
	strings.index("")
	pairs.uleb(uint64(len(list)))
	for _, p := range list {
		pairs.uleb(uint64(strings.index(p.name)))
		pairs.uleb(uint64(strings.index(p.value)))
	}
	return strings.encode(), pairs
}

// A stringTable has strings, each once.
type stringTable struct {
	at   map[string]uint32
	list []string
}

// index returns the number of a string, which it adds if it is new.
func (t *stringTable) index(s string) uint32 {
	if i, ok := t.at[s]; ok {
		return i
	}
	if t.at == nil {
		t.at = make(map[string]uint32)
	}
	i := uint32(len(t.list))
	t.at[s], t.list = i, append(t.list, s)
	return i
}

func (t *stringTable) encode() (b encoder) {
	b.uleb(uint64(len(t.list)))
	for _, s := range t.list {
		b.uleb(uint64(len(s)))
		b = append(b, s...)
	}
	return b
}

// An encoder appends numbers.
type encoder []byte

func (b *encoder) u32(n uint32) { *b = binary.LittleEndian.AppendUint32(*b, n) }
func (b *encoder) u64(n uint64) { *b = binary.LittleEndian.AppendUint64(*b, n) }

// uleb appends a number as binary.Uvarint reads it, which is LEB128.
func (b *encoder) uleb(n uint64) { *b = binary.AppendUvarint(*b, n) }
