package rt

// streamWords are the first words of a stream record, magic included, whose region is regionSize bytes long and begins at a page boundary behind the
// specification.
//
//go:norace
func streamWords(page, regionSize, rate, bits U, spec string) [StrWords]U {
	region := roundUp(StrWords*8+U(len(spec))+8, page)
	return [...]U{
		RecMagic:      RecordMagic,
		RecKind:       KindStream,
		RecSize:       region + regionSize,
		RecRegion:     region,
		RecRegionSize: regionSize,
		StrRate:       rate,
		StrBits:       bits,
		StrAddress:    U(uintptr(stratum(0))),
		StrSpecLen:    U(len(spec)),
		StrHeldKnown:  0,
	}
}

var streaming bool

// UseStream is called before the first Register of a program whose events are sampled in 2^bits strata, at a rate. Spec is what the user calls that. It returns 0.
//
//go:norace
func UseStream(spec string, rate, bits U) U {
	if !streaming { // packages are initialised one after the other
		streaming = true
		openStream(spec, rate, bits)
	}
	return 0
}
