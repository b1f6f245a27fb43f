package object

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// ErrVersion is wrapped by the error of Decode for an object of another version of the format.
var ErrVersion = errors.New("another goprofinstr has written it")

// Decode decodes an object. Its errors have one line.
func Decode(data []byte) (*Object, error) {
	switch {
	case len(data) < objectRest || string(data[:len(magic)]) != magic:
		return nil, errors.New("it is no object of counts")
	case data[len(magic)] != version:
		return nil, fmt.Errorf("version %d of an object of counts; this goprofinstr reads version %d: %w", data[len(magic)], version, ErrVersion)
	case len(data) > MostBytes:
		return nil, fmt.Errorf("%d bytes; at most %d are read", len(data), MostBytes)
	}
	rest := len(data) - sumLen
	if sumOf(data[:rest]) != Sum(data[rest:]) {
		return nil, errors.New("checksum is wrong: it is damaged")
	}
	d := &decoder{data: data[headLen:rest]}
	flags := data[headLen-1]
	if flags&^flagsKnown != 0 {
		d.fail("flags %#x", flags)
	}
	o := &Object{Service: d.text(), Attributes: d.text(), Final: flags&flagFinal != 0}
	if flags&flagRoot != 0 {
		if o.Root = d.text(); o.Root == "" {
			d.fail("a root that is none")
		}
	}
	o.Runs = d.runs()
	sum := sumOf(d.data)
	o.Counts = d.counts()
	o.Counts.Sampled = flags&flagSampled != 0
	if len(d.data) > 0 {
		d.fail("%d bytes behind its end", len(d.data))
	}
	if len(o.Runs) == 1 && o.Runs[0].Sum != sum {
		d.fail("the sum of its run is wrong")
	}
	if d.err != nil {
		return nil, d.err
	}
	return o, nil
}

// A decoder takes the fields of an object from the front of data. After an error all fields are 0.
type decoder struct {
	data     []byte
	err      error
	counters uint64 // of all packages until now
	hashes   uint64
}

// fail notes the first thing that is wrong.
func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("object of counts: "+format, args...)
	}
	d.data = nil
}

func (d *decoder) bytes(n int) []byte {
	if n > len(d.data) {
		d.fail("it is cut short")
	}
	if d.err != nil {
		return make([]byte, n)
	}
	b := d.data[:n]
	d.data = d.data[n:]
	return b
}

// number takes a number in as few bytes as it fits.
func (d *decoder) number() uint64 {
	if len(d.data) > 0 && d.data[0] < 0x80 { // as most are
		v := d.data[0]
		d.data = d.data[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(d.data)
	if n <= 0 || n > 1 && d.data[n-1] == 0 {
		d.fail("it is cut short, or a number has too many bytes")
		return 0
	}
	d.data = d.data[n:]
	return v
}

// length takes the number of things that follow, of at least so many bytes each.
func (d *decoder) length(least int, what string) int {
	n := d.number()
	if n > uint64(len(d.data)/least) {
		d.fail("%d %s in %d bytes", n, what, len(d.data))
		return 0
	}
	return int(n)
}

func (d *decoder) text() string {
	n := d.length(1, "bytes of text")
	if n > mostText {
		d.fail("text of %d bytes", n)
		return ""
	}
	return string(d.bytes(n))
}

func (d *decoder) runs() []Run {
	n := d.length(runLeast, "runs")
	var list []Run
	for range n {
		r := Run{Host: d.text(), Name: d.text()}
		r.Start = time.Unix(0, int64(binary.LittleEndian.Uint64(d.bytes(8)))).UTC()
		flags := d.bytes(1)[0]
		r.Process, r.Sum = flags == flagProcess, Sum(d.bytes(sumLen))
		if flags&^flagProcess != 0 {
			d.fail("flags %#x of a run", flags)
		}
		if d.err == nil && len(list) > 0 && list[len(list)-1].Compare(r) >= 0 {
			d.fail("runs are not in order")
		}
		if d.err != nil {
			return nil
		}
		list = append(list, r)
	}
	return list
}

func (d *decoder) counts() *tally.Tally {
	t := &tally.Tally{Lost: d.number()}
	n := d.length(packLeast, "packages")
	for range n {
		p := d.pack()
		if d.err == nil && len(t.Packages) > 0 && t.Packages[len(t.Packages)-1].Path >= p.Path {
			d.fail("packages are not in order")
		}
		if d.err != nil {
			break
		}
		t.Packages = append(t.Packages, p)
	}
	return t
}

// pack takes a package.
func (d *decoder) pack() rundata.Sparse {
	p := rundata.Sparse{Path: d.text(), Table: append([]byte(nil), d.bytes(tableLen)...)}
	size := d.number()
	if size > mostCounters-d.counters {
		d.fail("more than %d counters", mostCounters)
		return p
	}
	d.counters += size
	p.Size = int(size)
	p.Counters = d.list(size)
	p.Hashes = d.hashTables()
	return p
}

func (d *decoder) hashTables() [][]rundata.Entry {
	n := d.number()
	if n > mostHashes-d.hashes {
		d.fail("more than %d hash tables", mostHashes)
		return nil
	}
	d.hashes += n
	tables := make([][]rundata.Entry, n)
	next := uint64(0)
	for range d.length(hashLeast, "hash tables") {
		i := d.number()
		if i >= n-next {
			d.fail("hash table %d of %d", i+next, n)
			return tables
		}
		i += next
		if tables[i] = d.list(math.MaxUint64); len(tables[i]) == 0 {
			d.fail("a hash table in use without a path")
		}
		if d.err != nil {
			return tables
		}
		next = i + 1
	}
	return tables
}

// list takes a list of entries whose places are below a limit.
func (d *decoder) list(limit uint64) []rundata.Entry {
	n := d.length(entryLeast, "entries")
	if n == 0 {
		return nil
	}
	list := make([]rundata.Entry, 0, n)
	for left, at := limit, uint64(0); n > 0; n-- {
		distance, count := d.number(), d.number()
		if d.err == nil && (distance >= left || count == 0) {
			d.fail("an entry out of place, or without a count")
		}
		if d.err != nil {
			return nil
		}
		at += distance
		list = append(list, rundata.Entry{At: at, N: count})
		at, left = at+1, left-distance-1
	}
	return list
}
