package rundata

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// A Test is what a test has counted, or what was counted in no test.
type Test struct {
	Package string // import path of the package under test; "" before the tests began
	Name    string // "" for what is in no test; with " (parallel)" behind it for all subtests that run in parallel
	Counts  []TestCount
}

// A TestCount is what a test has added to a counter.
type TestCount struct {
	Package *Package
	Hash    int    // hash table that has the path, or -1
	Number  uint64 // of the path in the hash table, or of the counter
	Count   uint64
}

// counterKey names a counter.
type counterKey struct {
	pkg    *Package
	hash   int
	number uint64
}

// A testPart is a test record.
type testPart struct {
	number, length uint64 // length of the whole stream, in part 0
	off, size      uint64 // of its bytes
}

func (d *decoder) testRecord(off uint64) error {
	var r runfile.TestRecord
	if err := d.fill(off, &r); err != nil {
		return err
	}
	if r.Region < uint64(binary.Size(r)) {
		return d.errorf(off, "region of tests at %d", r.Region)
	}
	d.parts = append(d.parts, testPart{r.Chunk, r.Length, off + r.Region, r.RegionSize})
	return nil
}

var errTests = errors.New("run file: what tests have counted contradicts itself")

// readTests reads the stream of tests, and gives the last one what is left.
func (d *decoder) readTests() error {
	if d.parts == nil {
		return nil
	}
	slices.SortFunc(d.parts, func(a, b testPart) int { return cmp.Compare(a.number, b.number) })
	var stream []byte
	for i, p := range d.parts {
		if p.number != uint64(i) {
			break // the process was killed before it had the part, and nothing behind it counts
		}
		b, err := d.hold(p.off, p.size)
		if err != nil {
			return err
		}
		stream = append(stream, b...)
	}
	length := d.parts[0].length
	if length > uint64(len(stream)) {
		return fmt.Errorf("%w: %d bytes of %d are there", errTests, len(stream), length)
	}
	if length == 0 {
		return nil
	}
	return d.parseTests(&testReader{bytes.NewReader(stream[:length])})
}

// A testReader reads the stream.
type testReader struct{ *bytes.Reader }

func (r *testReader) number() (uint64, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return 0, errTests
	}
	return n, nil
}

func (r *testReader) name() (string, error) {
	n, err := r.number()
	if err != nil || n > uint64(r.Len()) {
		return "", errTests
	}
	name := make([]byte, n)
	r.Read(name)
	return string(name), nil
}

// parseTests sets d.run.Tests.
func (d *decoder) parseTests(r *testReader) error {
	known := make(map[string]*Test)
	sums := make(map[*Test]map[counterKey]uint64)
	left := d.allCounts()
	for {
		full, err := r.name()
		if err != nil {
			return err
		}
		t := known[full]
		if t == nil {
			t = new(Test)
			t.Package, t.Name, _ = strings.Cut(full, " ")
			known[full], sums[t] = t, make(map[counterKey]uint64)
			d.run.Tests = append(d.run.Tests, t)
		}
		if r.Len() == 0 {
			for key, n := range left {
				sums[t][key] += n
			}
			break
		}
		if err := d.parseCounts(r, sums[t], left); err != nil {
			return err
		}
	}
	for _, t := range d.run.Tests {
		t.Counts = sorted(d.run.Packages, sums[t])
	}
	return nil
}

// allCounts returns all counters that are not 0.
func (d *decoder) allCounts() map[counterKey]uint64 {
	all := make(map[counterKey]uint64)
	for _, p := range d.run.Packages {
		for i, n := range p.Counters {
			if n > 0 {
				all[counterKey{p, -1, uint64(i)}] = n
			}
		}
		for i, h := range p.Hashes {
			for path, n := range h {
				all[counterKey{p, i, path}] = n
			}
		}
	}
	return all
}

// parseCounts reads what one test has added, and takes it from what is left.
func (d *decoder) parseCounts(r *testReader, sum, left map[counterKey]uint64) error {
	for {
		address, err := r.number()
		if err != nil || address == 0 {
			return err
		}
		key, ok := d.counterAt(address)
		for {
			n, err := r.number()
			if err != nil {
				return err
			}
			if n == 0 {
				break
			}
			count, err := r.number()
			if err != nil {
				return err
			}
			if key.hash < 0 {
				key.number += n
			} else {
				key.number = n
			}
			if !ok {
				continue // the package was being registered when the process was killed
			}
			at := counterKey{key.pkg, key.hash, key.number - 1}
			if int64(count) < 0 {
				continue // concurrent updates that were lost can make a count less than it was
			}
			sum[at] += count
			left[at] -= min(count, left[at])
			if left[at] == 0 {
				delete(left, at)
			}
		}
	}
}

// counterAt returns the key of what comes before the first counter at an address.
func (d *decoder) counterAt(address uint64) (key counterKey, ok bool) {
	for _, p := range d.run.Packages {
		if len(p.Counters) > 0 && d.address[p] == address {
			return counterKey{p, -1, 0}, true
		}
		if i := (address - d.hashAddr[p]) / runfile.HashSize; address >= d.hashAddr[p] && i < uint64(len(p.Hashes)) {
			return counterKey{p, int(i), 0}, true
		}
	}
	return counterKey{}, false
}

// sorted returns counts in the order of packages, hash tables and numbers.
func sorted(packages []*Package, counts map[counterKey]uint64) []TestCount {
	index := make(map[*Package]int)
	for i, p := range packages {
		index[p] = i
	}
	var list []TestCount
	for key, n := range counts {
		list = append(list, TestCount{key.pkg, key.hash, key.number, n})
	}
	slices.SortFunc(list, func(a, b TestCount) int {
		return cmp.Or(cmp.Compare(index[a.Package], index[b.Package]), cmp.Compare(a.Hash, b.Hash), cmp.Compare(a.Number, b.Number))
	})
	return list
}
