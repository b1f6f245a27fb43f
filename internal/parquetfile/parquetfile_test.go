package parquetfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/goprofinstr/goprofinstr/internal/readback"
)

// shared has columns of a struct that others embed.
type shared struct {
	Service string            `parquet:"service"`
	Day     int32             `parquet:"day,date"`
	Labels  map[string]string `parquet:"labels"`
}

// row has a column of each type.
type row struct {
	shared
	Time  int64   `parquet:"time,timestamp(microsecond)"`
	Count int64   `parquet:"count"`
	Line  int32   `parquet:"line"`
	True  bool    `parquet:"true"`
	Low   *int64  `parquet:"low,optional"`
	Name  *string `parquet:"name,optional"`
	Lines []int32 `parquet:"lines,list"`
}

// random returns rows, some columns of which have few different values in long runs and others any.
func random(r *rand.Rand, n int) []row {
	rows := make([]row, n)
	for i := range rows {
		w := row{shared: shared{Service: fmt.Sprint("service", i/1000), Day: int32(i/5000) - 3}, Time: r.Int64() - math.MaxInt64/2}
		w.Count, w.Line, w.True = int64(r.ExpFloat64()*1000)-5, int32(r.Uint32()), r.IntN(9) > 2
		for range r.IntN(3) {
			w.Lines = append(w.Lines, int32(r.IntN(100)))
		}
		if r.IntN(3) == 0 {
			w.Low = &w.Count
		}
		if r.IntN(2) == 0 {
			name := fmt.Sprintf("é%d", r.IntN(500))
			w.Name = &name
		}
		if i/100%2 == 0 {
			w.Labels = map[string]string{"zone": fmt.Sprint(i / 300), "a": ""}
		}
		rows[i] = w
	}
	return rows
}

func encode(t testing.TB, rows []row) []byte {
	t.Helper()
	var b bytes.Buffer
	w := New[row](&b, "test")
	if err := errors.Join(w.Write(rows...), w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestRead has another implementation read what is written: no row, one, some, and a row group with some rows more.
func TestRead(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 8, 9, 100, 20000, RowGroup + 17} {
		if n > RowGroup && testing.Short() {
			continue // TestLong has several row groups, too
		}
		rows := random(rand.New(rand.NewPCG(uint64(n), 2)), n)
		data := encode(t, rows)
		if n == 20000 && !bytes.Equal(data, encode(t, rows)) {
			t.Error("equal rows are other bytes")
		}
		got := readback.Rows[row](t, data)
		if len(got) != n {
			t.Fatalf("%d rows of %d", len(got), n)
		}
		for i := range rows {
			if !same(&rows[i], &got[i]) {
				t.Fatalf("%d rows: row %d (-written +read):\n%s", n, i,
					cmp.Diff(rows[i], got[i], cmp.AllowUnexported(row{}), cmpopts.EquateEmpty()))
			}
		}
	}
}

// same is cmp.Equal, which takes seconds for that many rows.
func same(a, b *row) bool {
	return a.Service == b.Service && a.Day == b.Day && maps.Equal(a.Labels, b.Labels) && a.Time == b.Time && a.Count == b.Count && a.Line == b.Line &&
		a.True == b.True && equal(a.Low, b.Low) && equal(a.Name, b.Name) && slices.Equal(a.Lines, b.Lines)
}

func equal[V comparable](a, b *V) bool { return a == b || a != nil && b != nil && *a == *b }

// TestLong has rows with long lists and texts: fewer of them are held.
func TestLong(t *testing.T) {
	lines := make([]int32, 1<<20)
	for i := range lines {
		lines[i] = int32(i % 1000)
	}
	rows := make([]row, 20)
	for i := range rows {
		rows[i].Lines = lines
	}
	data := encode(t, rows)
	if f := readback.Read(t, data, false); f.RowGroups != 3 || f.NumRows != 20 {
		t.Errorf("%d rows in %d row groups", f.NumRows, f.RowGroups)
	}
}

// TestBounds asks another implementation between which values columns are: readers skip row groups by that.
func TestBounds(t *testing.T) {
	rows := random(rand.New(rand.NewPCG(1, 1)), 3000)
	data := encode(t, rows)
	least, most := rows[0].Count, rows[0].Count
	for _, r := range rows {
		least, most = min(least, r.Count), max(most, r.Count)
	}
	found := 0
	for _, c := range readback.Read(t, data, false).Columns {
		switch c.Name {
		case "service":
			found++
			if string(c.Least) != "service0" || string(c.Most) != "service2" {
				t.Errorf("services from %s to %s", c.Least, c.Most)
			}
		case "count":
			found++
			if !bytes.Equal(c.Least, little(least)) || !bytes.Equal(c.Most, little(most)) {
				t.Errorf("counts from %x to %x, want %d to %d", c.Least, c.Most, least, most)
			}
		}
	}
	if found != 2 {
		t.Errorf("%d of 2 columns have bounds", found)
	}
}

func little(n int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(n)) }

// TestHybrid holds the encoding of numbers against a decoder that is as simple as can be.
func TestHybrid(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 5000 {
		bits := r.IntN(20)
		var numbers []uint32
		for range r.IntN(6) {
			n := r.Uint32N(1 << bits)
			for range 1 + r.IntN(20) {
				numbers = append(numbers, n)
				if r.IntN(3) == 0 {
					n = r.Uint32N(1 << bits)
				}
			}
		}
		got := unpack(t, appendHybrid(nil, numbers, bits), bits)
		if len(got) < len(numbers) || len(got) > len(numbers)+7 || !slices.Equal(got[:len(numbers)], numbers) {
			t.Fatalf("%d bits: %v is read as %v", bits, numbers, got)
		}
	}
}

// unpack decodes numbers bit by bit.
func unpack(t *testing.T, b []byte, bits int) (numbers []uint32) {
	for len(b) > 0 {
		head, n := binary.Uvarint(b)
		b = b[n:]
		if head&1 == 0 {
			v := uint32(0)
			for i := range (bits + 7) / 8 {
				v |= uint32(b[i]) << (8 * i)
			}
			b = b[(bits+7)/8:]
			numbers = append(numbers, slices.Repeat([]uint32{v}, int(head>>1))...)
			continue
		}
		count := int(head>>1) * 8
		for i := range count {
			v := uint32(0)
			for bit := range bits {
				at := i*bits + bit
				v |= uint32(b[at/8]>>(at%8)&1) << bit
			}
			numbers = append(numbers, v)
		}
		b = b[count*bits/8:]
	}
	return numbers
}

// TestFull has a disk that is full after so many bytes: there is an error, whenever that is.
func TestFull(t *testing.T) {
	rows := random(rand.New(rand.NewPCG(4, 4)), 500)
	whole := len(encode(t, rows))
	for room := 0; room < whole; room += 97 {
		w := New[row](&full{room}, "test")
		err := w.Write(rows...)
		if closed := w.Close(); err == nil && closed == nil {
			t.Fatalf("no error with room for %d bytes of %d", room, whole)
		}
	}
}

// full is a writer that has room for some bytes.
type full struct{ room int }

func (f *full) Write(b []byte) (int, error) {
	if len(b) > f.room {
		return 0, errors.New("no space left on device")
	}
	f.room -= len(b)
	return len(b), nil
}

// TestMemory writes many rows: what is held does not grow with them.
func TestMemory(t *testing.T) {
	rows := random(rand.New(rand.NewPCG(5, 5)), 1000)
	w := New[row](io.Discard, "test")
	held := func(n int) uint64 {
		for range n {
			if err := w.Write(rows...); err != nil {
				t.Fatal(err)
			}
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	first := held(70)
	if last := held(400); last > first+16<<20 {
		t.Errorf("%d bytes after 70,000 rows, and %d after 470,000", first, last)
	}
}
