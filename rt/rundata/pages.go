package rundata

import (
	"fmt"
	"slices"
)

// usedPage is how much of a file is looked at together: 512 counters.
const usedPage = 4096

// A used is where in an array of counters something was counted when all of it was read last. Most pages of most programs
// have nothing but zeros.
type used struct {
	known bool
	parts []extent // in order, of whole pages but for the first and the last
}

// add adds a part that ends behind all others. Near ones become one: to read a page more takes no longer than another system
// call.
func (u *used) add(e extent) {
	if last := len(u.parts) - 1; last >= 0 && e.from-u.parts[last].to <= usedPage {
		u.parts[last].to = e.to
		return
	}
	u.parts = append(u.parts, e)
}

// each calls do for the counters of n at off that are not 0. If p.Quick, it leaves out pages that had none when all were read.
// It reads into a buffer that it keeps.
func (p *Poller) each(d *decoder, off, n uint64, do func(i, count uint64)) error {
	u := p.used[off]
	if u == nil {
		u = new(used)
		if p.used == nil {
			p.used = make(map[uint64]*used)
		}
		p.used[off] = u
	}
	if p.Quick && u.known {
		for _, e := range u.parts {
			b, err := p.bytes(e.from, e.to-e.from)
			if err != nil {
				return err
			}
			first := (e.from - off) / 8
			eachInUse(b, func(i, w uint64) { do(first+i, w) })
		}
		return nil
	}
	u.known, u.parts = false, u.parts[:0]
	for _, e := range d.dataFrom(off) {
		from, to := max(e.from, off), min(e.to, off+n*8)
		if from >= to {
			break
		}
		for from = off + (from-off)&^7; from < to; {
			size := min(chunkSize-from%usedPage, (to-from+7)&^7, off+n*8-from)
			b, err := p.bytes(from, size)
			if err != nil {
				return err
			}
			for ; len(b) > 0; b = b[size:] {
				size = min(usedPage-from%usedPage, uint64(len(b)))
				first, some := (from-off)/8, false
				eachInUse(b[:size], func(i, w uint64) {
					some = true
					do(first+i, w)
				})
				if some {
					u.add(extent{from, from + size})
				}
				from += size
			}
		}
	}
	u.known = true
	return nil
}

// bytes reads a part of the file into the buffer.
func (p *Poller) bytes(off, size uint64) ([]byte, error) {
	p.buf = slices.Grow(p.buf[:0], int(size))[:size]
	if got, err := p.f.ReadAt(p.buf, int64(off)); got < len(p.buf) {
		return nil, fmt.Errorf("run file: %d bytes at offset %#x: %w", size, off, err)
	}
	return p.buf, nil
}

// A summer adds up counters of several arrays. Between packages all its sums are 0.
type summer struct {
	sums    []uint64
	touched []bool // of sums, sumBlock at a time
}

const sumBlock = usedPage / 8

// grow makes room for n sums.
func (s *summer) grow(n int) {
	if n > len(s.sums) {
		s.sums, s.touched = make([]uint64, n), make([]bool, (n+sumBlock-1)/sumBlock)
	}
}

func (s *summer) add(i, n uint64) {
	s.sums[i] += n
	s.touched[i/sumBlock] = true
}

// take returns the sums that are not 0, and sets them to 0.
func (s *summer) take() (list []Entry) {
	for block, touched := range s.touched {
		if !touched {
			continue
		}
		s.touched[block] = false
		first := block * sumBlock
		sums := s.sums[first:min(first+sumBlock, len(s.sums))]
		for i, n := range sums {
			if n != 0 {
				list = append(list, Entry{uint64(first + i), n})
			}
		}
		clear(sums)
	}
	return list
}
