package rundata

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// A polledChunk is where entries of a hash table are. They never move and never go away.
type polledChunk struct {
	hash     uint64 // address of the Hash
	record   uint64 // offset of the record
	off, len uint64 // in the file, bytes

	owned      bool // its package is registered:
	pkg, table int  // which hash table of which package it is of
	order      []int
}

// own finds the hash table of a chunk, and reports whether there is one. Chunks of packages that are not registered yet are of
// none.
func (p *Poller) own(c *polledChunk) bool {
	for i := range p.packages {
		pkg := &p.packages[i]
		at := (c.hash - pkg.hashAddr) / runfile.HashSize
		if !c.owned && c.hash >= pkg.hashAddr && at < uint64(len(pkg.Hashes)) {
			c.owned, c.pkg, c.table = true, i, int(at)
		}
	}
	return c.owned
}

// readChunk adds the entries of a chunk to those of its hash table.
func (p *Poller) readChunk(d *decoder, c *polledChunk) error {
	if !c.owned && !p.own(c) {
		return nil
	}
	if err := p.findEntries(d, c); err != nil {
		return err
	}
	if len(c.order) != len(p.entries) {
		c.order = c.order[:0]
		for i := range p.entries {
			c.order = append(c.order, i)
		}
		slices.SortFunc(c.order, func(a, b int) int { return cmp.Compare(p.entries[a].At, p.entries[b].At) })
	}
	list := make([]Entry, 0, len(c.order))
	for _, i := range c.order {
		if e := p.entries[i]; e.N != 0 { // else it is claimed and not counted yet
			list = append(list, e)
		}
	}
	if into := &p.Packages[c.pkg].Hashes[c.table]; len(*into) > 0 {
		sum, ok := addEntries(*into, list)
		if !ok {
			return d.errorf(c.record, "counts in a hash table of %s overflow 64 bits", p.Packages[c.pkg].Path)
		}
		*into = sum
	} else if len(list) > 0 {
		*into = list
	}
	return nil
}

// findEntries sets p.entries to the entries of a chunk that are not free, in the order of their places.
func (p *Poller) findEntries(d *decoder, c *polledChunk) error {
	p.entries = p.entries[:0]
	for _, e := range d.dataFrom(c.off) {
		from, to := max(e.from, c.off), min(e.to, c.off+c.len)
		if from >= to {
			break
		}
		for from = c.off + (from-c.off)&^(runfile.EntrySize-1); from < to; from += chunkSize {
			b, err := p.bytes(from, min(chunkSize, c.off+c.len-from))
			if err != nil {
				return err
			}
			for ; len(b) >= runfile.EntrySize; b = b[runfile.EntrySize:] {
				if key := binary.LittleEndian.Uint64(b); key != 0 {
					p.entries = append(p.entries, Entry{key - 1, binary.LittleEndian.Uint64(b[8:])})
				}
			}
		}
	}
	return nil
}

// addEntries adds up two lists. It is not ok if a sum overflows.
func addEntries(a, b []Entry) (out []Entry, ok bool) {
	out = make([]Entry, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].At < b[0].At:
			out, a = append(out, a[0]), a[1:]
		case b[0].At < a[0].At:
			out, b = append(out, b[0]), b[1:]
		default:
			sum, carry := bits.Add64(a[0].N, b[0].N, 0)
			if carry != 0 {
				return nil, false
			}
			out, a, b = append(out, Entry{a[0].At, sum}), a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...), true
}
