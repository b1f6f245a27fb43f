package copies

import (
	"slices"

	rt "github.com/goprofinstr/goprofinstr/rt/copies"
)

// A span is a function, and where in the code its copy is.
type span struct {
	lo, hi   uint64
	from, to int
}

// Places returns what the program has of the origins, entrances and returns.
func (c *Copied) Places() *rt.Places {
	p := new(rt.Places)
	origins, entries := c.Origins, c.enters
	for _, s := range c.spans {
		n := 0
		for n < len(origins) && int(origins[n].Copy) < s.to {
			n++
		}
		var parts []rt.Part
		parts, entries = partsOf(origins[:n], entries, uint32(s.to))
		origins = origins[n:]
		add(p, s, parts)
	}
	slices.SortFunc(p.Functions, func(a, b rt.Span) int { return int(a.Lo) - int(b.Lo) })
	return p
}

// partsOf returns the parts that origins of a function come to, and the entries behind them. The function's code ends at an
// offset.
func partsOf(origins []rt.Origin, entries []uint32, end uint32) (parts []rt.Part, rest []uint32) {
	const mostBytes = rt.LongToken // of a run
	for n, o := range origins {
		x := rt.Part{Copy: o.Copy, At: o.At & rt.AddressMask, Size: end - o.Copy, Kind: o.At >> rt.KindShift}
		if n+1 < len(origins) {
			next := origins[n+1]
			x.Size, x.Advance = next.Copy-o.Copy, next.At&rt.AddressMask-x.At
			x.Alike = x.Kind == rt.Instruction && x.Advance == x.Size
		}
		for len(entries) > 0 && entries[0] < x.Copy {
			entries = entries[1:]
		}
		x.Entry = len(entries) > 0 && entries[0] == x.Copy
		if k := len(parts) - 1; k >= 0 && x.Alike && x.Entry && parts[k].Alike && parts[k].Entry && parts[k].Size+x.Size <= mostBytes &&
			parts[k].At+parts[k].Size == x.At {
			parts[k].Size += x.Size
			continue
		}
		parts = append(parts, x)
	}
	return parts, entries
}

// add appends the parts of a function.
func add(p *rt.Places, s span, parts []rt.Part) {
	p.Functions = append(p.Functions, rt.Span{Lo: uint32(s.lo), Hi: uint32(s.hi), Block: uint32(len(p.Blocks))})
	at, last := uint32(s.lo), len(parts)
	for last > 0 && !parts[last-1].Entry {
		last--
	}
	for n, x := range parts {
		if n%rt.BlockTokens == 0 {
			b := rt.Block{Copy: x.Copy, At: at, Token: uint32(len(p.Stream))}
			if n >= last {
				b.Token |= rt.Behind
			}
			p.Blocks = append(p.Blocks, b)
		}
		at = putToken(p, x, at)
	}
	p.Stream = append(p.Stream, rt.EndToken)
}

// putToken appends that of a part, where the part before has led to an address. It returns where this part leads to.
func putToken(p *rt.Places, x rt.Part, at uint32) uint32 {
	if x.Alike && x.Entry && x.At == at && x.Size <= rt.LongToken {
		p.Stream = append(p.Stream, byte(x.Size-1))
		return at + x.Size
	}
	for k, u := range rt.Usual {
		if u.Copy, u.At = x.Copy, at; u == x {
			p.Stream = append(p.Stream, rt.UsualToken+byte(k))
			return at + u.Advance
		}
	}
	token := rt.LongToken | byte(x.Kind)
	if x.Entry {
		token |= rt.EntryToken
	}
	if x.Alike {
		token |= rt.AlikeToken
	}
	if x.At != at {
		d := int32(x.At - at)
		p.Stream = number(append(p.Stream, token|rt.DeltaToken), uint32(d<<1^d>>31))
	} else {
		p.Stream = append(p.Stream, token)
	}
	p.Stream = number(p.Stream, x.Size)
	if x.Alike {
		return x.At + x.Size
	}
	return x.At
}

func number(to []byte, n uint32) []byte {
	for ; n >= 0x80; n >>= 7 {
		to = append(to, byte(n)|0x80)
	}
	return append(to, byte(n))
}
