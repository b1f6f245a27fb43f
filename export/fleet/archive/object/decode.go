package object

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/labels"
	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// ErrVersion is wrapped by the error of Decode for an object of another version of the format.
var ErrVersion = errors.New("another goprofinstr has written it")

// Decode decodes an object. Its errors have one line.
func Decode(data []byte) (*Object, error) {
	switch {
	case len(data) < objectRest || string(data[:len(magic)]) != magic:
		return nil, errors.New("it is no object of counts")
	case data[len(magic)] < Oldest || data[len(magic)] > Version:
		return nil, fmt.Errorf("version %d of an object of counts; this goprofinstr reads versions %d to %d: %w",
			data[len(magic)], Oldest, Version, ErrVersion)
	case len(data) > MostBytes:
		return nil, fmt.Errorf("%d bytes; at most %d are read", len(data), MostBytes)
	}
	rest := len(data) - sumLen
	if sumOf(data[:rest]) != Sum(data[rest:]) {
		return nil, errors.New("checksum is wrong: it is damaged")
	}
	d := &decoder{data: data[headLen:rest], version: data[len(magic)]}
	flags := data[headLen-1]
	var o *Object
	if d.version == Oldest {
		o = d.oldest(flags)
	} else {
		o = d.object(flags)
	}
	if len(d.data) > 0 {
		d.fail("%d bytes behind its end", len(d.data))
	}
	if d.err != nil {
		return nil, d.err
	}
	return o, nil
}

// object takes all that is behind the head of an object.
func (d *decoder) object(flags byte) *Object {
	if flags&^flagFinal != 0 {
		d.fail("flags %#x", flags)
	}
	o := &Object{Service: d.text(), Root: d.text(), Final: flags&flagFinal != 0}
	list := d.texts("labels")
	if list == nil {
		list = []string{} // unlike version 1
	}
	o.Runs = d.runs(list)
	for _, of := range list {
		flags, sampling := d.bytes(1)[0], (*tally.Sampling)(nil)
		known := byte(flagSampled | flagSampling)
		if d.version > 3 {
			known |= flagUncounted
		}
		if flags&^known != 0 || flags&(flagSampled|flagSampling) == flagSampling {
			d.fail("flags %#x of a part", flags)
		}
		if flags&flagSampling != 0 {
			sampling = d.sampling()
		}
		names := d.names()
		counts := d.summed(o, of)
		counts.Names, counts.Sampled, counts.Sampling = names, flags&flagSampled != 0, sampling
		if flags&flagUncounted != 0 {
			d.uncounted(counts)
		}
		o.Parts = append(o.Parts, Part{Labels: of, Counts: counts})
	}
	return o
}

// oldest is object for version 1.
func (d *decoder) oldest(flags byte) *Object {
	if flags&^(flagFinal|flagSampledWas) != 0 {
		d.fail("flags %#x", flags)
	}
	o := &Object{Service: d.text(), Final: flags&flagFinal != 0}
	of := labels.Parse(d.text()).Shared().String()
	o.Runs = d.runs(nil)
	for i := range o.Runs {
		o.Runs[i].Labels = of
	}
	counts := d.summed(o, of)
	counts.Sampled = flags&flagSampledWas != 0
	o.Parts = []Part{{Labels: of, Counts: counts}}
	return o
}

// summed takes the counts of a part. An only run has their sum.
func (d *decoder) summed(o *Object, of string) *tally.Tally {
	begin := d.data
	counts := d.counts()
	if len(o.Runs) == 1 && o.Runs[0].Labels == of && sumOf(begin[:len(begin)-len(d.data)]) != o.Runs[0].Sum {
		d.fail("the sum of its run is wrong")
	}
	return counts
}

// uncounted takes the functions that nothing can count.
func (d *decoder) uncounted(t *tally.Tally) {
	for i := range t.Packages {
		p := &t.Packages[i]
		p.Uncounted = d.list(uint64(p.Size) + uint64(len(p.Hashes)))
	}
	if !hasUncounted(t) {
		d.fail("a part without the functions that it is said to have")
	}
}

// sampling takes how estimates came about.
func (d *decoder) sampling() *tally.Sampling {
	var numbers [12]uint64
	n := len(numbers)
	if d.version < 3 {
		n-- // without the last one
	}
	for i := range numbers[:n] {
		numbers[i] = d.number()
	}
	if numbers[11] > mostOff {
		d.fail("estimates that are off by %d", numbers[11])
	}
	s := samplingOf(numbers)
	s.Specs = d.texts("specifications")
	return s
}

// names takes the names of values, nil if there are none.
func (d *decoder) names() map[uint64]string {
	list := d.texts("names")
	if len(list) == 0 {
		return nil
	}
	names := make(map[uint64]string, len(list))
	for _, name := range list {
		names[profile.NumberOf(name)] = name
	}
	if len(names) < len(list) {
		d.fail("two names with one number")
	}
	return names
}

// texts takes texts in order, no two alike.
func (d *decoder) texts(what string) (list []string) {
	for range d.length(1, what) {
		text := d.text()
		if d.err == nil && len(list) > 0 && list[len(list)-1] >= text {
			d.fail("%s are not in order", what)
		}
		if d.err != nil {
			return nil
		}
		list = append(list, text)
	}
	return list
}

// A decoder takes the fields of an object from the front of data. After an error all fields are 0.
type decoder struct {
	data     []byte
	version  byte
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

// runs takes the runs of an object whose parts have these labels; nil in version 1.
func (d *decoder) runs(parts []string) []Run {
	n := d.length(runLeast, "runs")
	var list []Run
	for range n {
		r := Run{Host: d.text(), Name: d.text()}
		r.Start = time.Unix(0, int64(binary.LittleEndian.Uint64(d.bytes(8)))).UTC()
		flags := d.bytes(1)[0]
		if flags&^flagProcess != 0 {
			d.fail("flags %#x of a run", flags)
		}
		if parts != nil {
			part := d.number()
			if part >= uint64(len(parts)) {
				d.fail("part %d of %d", part, len(parts))
				return nil
			}
			r.Labels = parts[part]
		}
		r.Process, r.Sum = flags == flagProcess, Sum(d.bytes(sumLen))
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
