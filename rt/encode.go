package rt

import "unsafe"

// headWords are the first words of the header page, magic included.
func headWords(page, pid, start, argsLen U) [HeadWords]U {
	return [...]U{
		HeadMagic:   RunMagic,
		HeadVersion: Version,
		HeadPage:    page,
		HeadPid:     pid,
		HeadStart:   start,
		HeadArgsLen: argsLen,
	}
}

// A pkg is what a package hands to Register.
type pkg struct {
	path, table string
	counters    *U // first element of the padded array
	n           U  // counters, without padding
	hashes      *Hash
	nh          int
}

// words are the first words of p's record, magic included, where the region
// is regionSize bytes long and counter 0 lies at first.
func (p *pkg) words(page, regionSize, first U) [PkgWords]U {
	region := roundUp(PkgWords*8+U(len(p.path))+U(len(p.table))+8, page)
	return [...]U{
		RecMagic:      RecordMagic,
		RecKind:       KindPackage,
		RecSize:       region + regionSize,
		RecRegion:     region,
		RecRegionSize: regionSize,
		PkgFirst:      first,
		PkgCounters:   p.n,
		PkgPathLen:    U(len(p.path)),
		PkgTableLen:   U(len(p.table)),
		PkgHash:       U(uintptr(unsafe.Pointer(p.hashes))),
		PkgHashes:     U(p.nh),
	}
}

// roundUp returns the least multiple of unit, a power of two, that is not less than n.
func roundUp(n, unit U) U { return (n + unit - 1) &^ (unit - 1) }

// encodeRun returns a whole run file, for systems where the counters are not
// mapped and everything is written at the end. It is portable so that every
// test run exercises it.
//
//go:norace
func encodeRun(pid, start, lost U, pkgs []*pkg, tables, contexts [][]U) []byte {
	head := headWords(MinPage, pid, start, 0)
	head[HeadLost] = lost
	b := padPage(appendWords(nil, head[:]))
	for _, p := range pkgs {
		w := p.words(MinPage, roundUp(p.n*8, MinPage), 0)
		b = appendWords(b, w[:])
		b = append(b, p.path...)
		b = padPage(append(append(b, p.table...), make([]byte, 8)...))
		if len(contexts) > 0 { // whose paths are addresses
			copy(b[len(b)-8:], appendWords(nil, []U{U(uintptr(unsafe.Pointer(p.counters)))}))
		}
		b = padPage(appendWords(b, unsafe.Slice(p.counters, p.n)))
	}
	for _, t := range tables {
		if t[RecMagic] != 0 { // else it lost the race in grow
			b = appendWords(b, t)
		}
	}
	for _, c := range contexts {
		b = appendWords(b, c)
	}
	return b
}

//go:norace
func appendWords(b []byte, words []U) []byte {
	for _, w := range words {
		b = append(b, byte(w), byte(w>>8), byte(w>>16), byte(w>>24), byte(w>>32), byte(w>>40), byte(w>>48), byte(w>>56))
	}
	return b
}

func padPage(b []byte) []byte {
	return append(b, make([]byte, roundUp(U(len(b)), MinPage)-U(len(b)))...)
}
