package rundata

import (
	"io"
	"os"
	"runtime"
	"slices"
)

// A file of up to wholeSize bytes is read whole, whatever is in it. Of a longer one the holes are left out,
// which may be terabytes. Some file systems have been wrong about holes in files that were being written (ZFS in
// 2023), and so they are not asked without need.
const wholeSize = 1 << 30

// mostHoles bounds how many holes are looked for. A run file has fewer than it has pages in use.
const mostHoles = 1 << 20

// An extent is a part of a file that is no hole.
type extent struct{ from, to uint64 }

// Values of whence for lseek on Linux.
const (
	seekData = 3
	seekHole = 4
)

// extents returns the parts of r that are no holes, in order: all of it where that is not known.
func extents(r io.ReaderAt, size uint64) []extent {
	whole := []extent{{0, size}}
	f, ok := r.(*os.File)
	if !ok || size <= wholeSize || runtime.GOOS != "linux" {
		return whole
	}
	var list []extent
	for at := int64(0); uint64(at) < size; {
		from, err := f.Seek(at, seekData)
		if err != nil {
			break // ENXIO: nothing but a hole is left
		}
		to, err := f.Seek(from, seekHole)
		if err != nil || to <= from || len(list) == mostHoles {
			return whole
		}
		list = append(list, extent{uint64(from), min(uint64(to), size)})
		at = to
	}
	return list
}

// nextData returns the first place from off on that is in no hole; false if there is none.
func (d *decoder) nextData(off uint64) (uint64, bool) {
	rest := d.dataFrom(off)
	if len(rest) == 0 {
		return 0, false
	}
	return max(off, rest[0].from), true
}

// dataFrom returns the extents that end behind off.
func (d *decoder) dataFrom(off uint64) []extent {
	i, _ := slices.BinarySearchFunc(d.data, off, func(e extent, off uint64) int {
		if e.to <= off {
			return -1
		}
		return 1
	})
	return d.data[i:]
}

// chunkSize is how much is read at a time, of whole entries and words.
const chunkSize = 1 << 20

// eachWords calls do for the words in n bytes at off that are in no hole. It also gives do the place of the first of
// the words behind off, in words. n is a multiple of 16, and a chunk begins at one.
func (d *decoder) eachWords(off, n uint64, do func(at uint64, words []uint64)) error {
	for _, e := range d.dataFrom(off) {
		from, to := max(e.from, off), min(e.to, off+n)
		if from >= to {
			break
		}
		for from = off + (from-off)&^15; from < to; {
			size := min(chunkSize, (to-from+15)&^15, off+n-from)
			b, err := d.bytes(from, size)
			if err != nil {
				return err
			}
			do((from-off)/8, decodeWords(b))
			from += size
		}
	}
	return nil
}

// mostMemory bounds what the records of a run ask for, in bytes. A header may lie, and a file can be of any size and
// empty.
const mostMemory = 1 << 30

// take notes that n bytes are going to be held.
func (d *decoder) take(off, n uint64) error {
	if n > mostMemory-d.taken {
		return d.errorf(off, "%d bytes more than the %d that this goprofinstr reads of a run", n, mostMemory-d.taken)
	}
	d.taken += n
	return nil
}

// hold is bytes for what is kept.
func (d *decoder) hold(off, n uint64) ([]byte, error) {
	if err := d.take(off, n); err != nil {
		return nil, err
	}
	return d.bytes(off, n)
}

// counters reads n counters at off.
func (d *decoder) counters(off, n uint64) ([]uint64, error) {
	if err := d.take(off, n*8); err != nil {
		return nil, err
	}
	counters := make([]uint64, n)
	err := d.eachCounter(off, n, func(i, count uint64) { counters[i] = count })
	return counters, err
}

// eachCounter calls do for all of n counters at off that are not 0.
func (d *decoder) eachCounter(off, n uint64, do func(i, count uint64)) error {
	return d.eachWords(off, n*8, func(at uint64, words []uint64) {
		for i, count := range words {
			if count != 0 {
				do(at+uint64(i), count)
			}
		}
	})
}

// mostSkipped is how many pages in a row may be no record: parts of one that was never finished. More are no run file.
const mostSkipped = 1 << 18

// skip returns where the next record may begin behind a page of a half-made one.
func (d *decoder) skip(off uint64, pages int) (uint64, error) {
	if pages > mostSkipped {
		return 0, d.errorf(off, "no record begins in %d pages", pages)
	}
	at, ok := d.nextData(off + d.page)
	if !ok {
		return d.size, nil
	}
	return at &^ (d.page - 1), nil
}
