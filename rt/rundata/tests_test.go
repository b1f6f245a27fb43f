package rundata

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// exampleTests is the stream of two tests, after which something was counted in none.
func exampleTests() []byte {
	var b []byte
	number := func(list ...uint64) {
		for _, n := range list {
			b = binary.AppendUvarint(b, n)
		}
	}
	name := func(s string) {
		number(uint64(len(s)))
		b = append(b, s...)
	}
	name("example.com/p TestA")
	number(address, 1, 1, 2, 1, 0, 0) // counters 0 and 2
	name("example.com/p TestB (parallel)")
	number(hash+2*runfile.HashSize, 9, 1, 0, 1<<40, 1, 1, 0, 0) // path 8, and a package that nobody knows
	name("example.com/p ")
	return b
}

// withTests appends test records of a page each, from page 6 on, with a stream and its length.
func withTests(b, stream []byte, length int) []byte {
	put(b, 1, page/8-1, address)
	const room = page - testsBegin*8
	for i := 0; i == 0 || i*room < len(stream); i++ {
		at := len(b)
		b = appendRecord(b, 1, runfile.RecordMagic, runfile.KindTests, page, uint64(testsBegin)*8, uint64(room), uint64(i), uint64(length))
		copy(b[at+testsBegin*8:], stream[i*room:min(len(stream), (i+1)*room)])
	}
	return b
}

// described returns what tests have counted as text.
func described(run *Run) string {
	var all strings.Builder
	for _, test := range run.Tests {
		fmt.Fprintf(&all, "%s.%s:", test.Package, test.Name)
		for _, c := range test.Counts {
			fmt.Fprintf(&all, " %d/%d=%d", c.Hash, c.Number, c.Count)
		}
		all.WriteByte('\n')
	}
	return all.String()
}

func TestTests(t *testing.T) {
	stream := exampleTests()
	plain, err := read(v1(t))
	if err != nil {
		t.Fatal(err)
	}
	run, err := read(withTests(v1(t), stream, len(stream)))
	if err != nil {
		t.Fatal(err)
	}
	total := make(map[string]uint64)
	for _, test := range run.Tests {
		for _, c := range test.Counts {
			total[fmt.Sprint(c.Hash, "/", c.Number)] += c.Count
		}
	}
	want := make(map[string]uint64)
	for i, n := range plain.Packages[0].Counters {
		if n > 0 {
			want[fmt.Sprint("-1/", i)] = n
		}
	}
	for i, h := range plain.Packages[0].Hashes {
		for path, n := range h {
			want[fmt.Sprint(i, "/", path)] = n
		}
	}
	if got := described(run); !strings.Contains(got, "example.com/p.TestA: -1/0=1 -1/2=1\nexample.com/p.TestB (parallel): 2/8=1\nexample.com/p.:") {
		t.Errorf("tests:\n%s", got)
	}
	if diff := cmp.Diff(want, total); diff != "" {
		t.Errorf("what tests have counted does not add up (-want +got):\n%s", diff)
	}
}

// TestDamagedTests cuts the stream off everywhere: what is left is whole names, or an error.
func TestDamagedTests(t *testing.T) {
	stream := exampleTests()
	for n := range len(stream) {
		run, err := read(withTests(v1(t), stream[:n], n))
		if err != nil && !errors.Is(err, errTests) || err == nil && n > 0 && len(run.Tests) == 0 {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	if _, err := read(withTests(v1(t), stream, 2*page)); !errors.Is(err, errTests) {
		t.Errorf("a stream that is not there: %v", err)
	}
}
