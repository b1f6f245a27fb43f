package patch

import (
	"encoding/binary"

	"golang.org/x/arch/x86/x86asm"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// markers are where the markers of a package store, and what they stand for.
type markers struct {
	sites, n      uint64 // address and number of the native.Sites of paths with an estimate in the array
	hashed, nHash uint64 // and of functions that have a hash table
	counters      uint64 // address of the estimate of path 0
	hashes, size  uint64 // address of the first hash table, and bytes of one
}

func (d descriptor) markers() markers {
	return markers{d.word(0), d.word(1), d.word(2), d.word(3), d.word(4), d.word(5), d.word(6)}
}

// A site is a copy of a marker in the text.
type site struct {
	address uint64
	length  int
	hash    bool
	at      uint64 // what the estimate of path 0 or the hash table has for an address
	reg     int    // register that has the path's number, or -1
	number  uint64 // the number, if there is no register
}

// means returns At of the site's runfile.Site.
func (s *site) means() uint64 {
	switch {
	case s.hash:
		return s.at | runfile.SiteHash | runfile.SiteRegister
	case s.reg >= 0:
		return s.at | runfile.SiteRegister
	}
	return s.at + s.number*siteSize
}

// siteSize is the size of a native.Site, and where the byte is in it that markers of known paths store to.
const (
	siteSize  = 16
	oneOffset = 8
)

// lookup returns what a store to an address is a marker of.
func lookup(packages []markers, address uint64) (s site, offset uint64, ok bool) {
	for _, m := range packages {
		switch {
		case address >= m.sites && address < m.sites+m.n*siteSize:
			k := (address - m.sites) / siteSize
			return site{at: m.counters + k*siteSize}, (address - m.sites) % siteSize, true
		case address >= m.hashed && address < m.hashed+m.nHash*siteSize:
			k := (address - m.hashed) / siteSize
			return site{at: m.hashes + k*m.size, hash: true}, (address - m.hashed) % siteSize, true
		}
	}
	return site{}, 0, false
}

// find returns all sites of the program, by address, and how many accesses to markers have another shape than that of a site.
//
// A search for displacements finds the functions that are worth decoding. What is a site is decided by decoding these from
// their beginning.
func (p *program) find(packages []markers) (sites []site, others int) {
	text := p.data[p.text.Offset : p.text.Offset+p.text.Size]
	var done uint64 // end of the last function that was decoded
	for i := 0; i+4 <= len(text); i++ {
		here := p.text.Addr + uint64(i)
		if here < done || !refers(packages, text[i:], here) {
			continue
		}
		entry, end, ok := p.function(here)
		if !ok {
			continue
		}
		d := decoder{program: p, packages: packages, entry: entry, end: end}
		if !d.decode() {
			d.others += len(d.sites)
			d.sites = nil
		}
		sites, others = append(sites, d.sites...), others+d.others
		done = end
	}
	return sites, others
}

// refers reports whether what begins with code, at an address, may be the displacement of a marker. The marker's instruction has
// up to four bytes more behind it.
func refers(packages []markers, code []byte, address uint64) bool {
	displacement := uint64(int64(int32(binary.LittleEndian.Uint32(code))))
	for _, immediate := range []uint64{0, 1, 4} {
		if _, _, ok := lookup(packages, address+4+immediate+displacement); ok {
			return true
		}
	}
	return false
}

// A decoder finds the sites of a function.
type decoder struct {
	*program
	packages   []markers
	entry, end uint64

	sites   []site
	others  int
	targets map[uint64]bool // of jumps
}

// decode reports whether the function could be decoded to its end.
func (d *decoder) decode() bool {
	code := d.at(d.entry)
	if code == nil || uint64(len(code)) < d.end-d.entry {
		return false
	}
	d.targets = make(map[uint64]bool)
	for pc := d.entry; pc < d.end; {
		inst, ok := decode(code[pc-d.entry : d.end-d.entry])
		if !ok {
			return false
		}
		d.instruction(inst, pc)
		pc += uint64(inst.Len)
	}
	// The compiler jumps to no byte of a store but the first. If something does, the function is not what it seems.
	for _, s := range d.sites {
		for i := 1; i < s.length; i++ {
			if d.targets[s.address+uint64(i)] {
				return false
			}
		}
	}
	return true
}

// instruction looks at an instruction.
func (d *decoder) instruction(inst x86asm.Inst, pc uint64) {
	next := pc + uint64(inst.Len)
	for _, a := range inst.Args {
		switch a := a.(type) {
		case x86asm.Rel:
			d.targets[next+uint64(int64(a))] = true
		case x86asm.Mem:
			if a.Base != x86asm.RIP {
				continue
			}
			s, offset, ok := lookup(d.packages, next+uint64(a.Disp))
			switch {
			case !ok:
			case !s.shape(inst, offset):
				d.others++
			default:
				s.address, s.length = pc, inst.Len
				d.sites = append(d.sites, s)
			}
		}
	}
}

// shape reports whether an instruction has the shape of a marker, and notes where it has the path.
func (s *site) shape(inst x86asm.Inst, offset uint64) bool {
	if inst.Op != x86asm.MOV || inst.Len != siteLength && inst.Len != siteLength+len(longNoop) {
		return false
	}
	if _, ok := inst.Args[0].(x86asm.Mem); !ok || inst.Prefix[0]&0xff != 0 && inst.Prefix[0]&0xf0 != 0x40 {
		return false
	}
	switch v := inst.Args[1].(type) {
	case x86asm.Reg:
		if offset != 0 || v < x86asm.RAX || v > x86asm.R15 {
			return false
		}
		s.reg = int(v - x86asm.RAX)
	case x86asm.Imm:
		s.reg = -1
		if offset == oneOffset {
			return !s.hash && inst.MemBytes == 1 // the path is the one that the marker stands for
		}
		if offset != 0 || inst.MemBytes != 8 {
			return false
		}
		s.number = uint64(v)
	default:
		return false
	}
	return true
}

// decode decodes an instruction.
func decode(code []byte) (inst x86asm.Inst, ok bool) {
	// VZEROUPPER and VZEROALL, for which package x86asm (v0.32.0) takes what follows for an operand.
	if len(code) >= 3 && code[0] == 0xc5 && code[2] == 0x77 {
		return x86asm.Inst{Len: 3}, true
	}
	inst, err := x86asm.Decode(code, 64)
	return inst, err == nil && inst.Op != 0 // which it is for a prefix in front of nothing that is known
}
