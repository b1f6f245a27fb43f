//go:build linux

package damage

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// files are those of a profile directory, by name.
type files map[string][]byte

func (f files) clone() files {
	c := maps.Clone(f)
	for name, data := range c {
		c[name] = bytes.Clone(data)
	}
	return c
}

// names returns the names that begin so, sorted.
func (f files) names(prefix string) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	return names
}

// A mutator changes a profile as its random numbers say.
type mutator struct{ *rand.Rand }

func pick[T any](m mutator, list []T) T { return list[m.IntN(len(list))] }

// mutate changes a profile in one to four ways.
func (m mutator) mutate(f files) {
	for range 1 + m.IntN(4) {
		switch n := m.IntN(20); {
		case n < 9:
			m.tables(f)
		case n < 11:
			name := pick(m, f.names("tables/"))
			f[name] = m.table(f[name])
		case n < 17:
			for _, name := range f.names("run.") {
				f[name] = m.run(f[name])
			}
		case n < 18:
			name := pick(m, slices.Sorted(maps.Keys(f)))
			f[name] = m.bytes(f[name])
		case n < 19:
			f["goprofinstr.json"] = m.text(f["goprofinstr.json"])
		default:
			if data, ok := f["cover.json"]; ok {
				f["cover.json"] = m.text(data)
			}
		}
	}
}

// tables changes the table of a package in the run files, and where it is beside them.
func (m mutator) tables(f files) {
	for _, run := range f.names("run.") {
		at := packageRecords(f[run])
		if len(at) == 0 {
			continue
		}
		old := tableIn(f[run], pick(m, at))
		changed := m.table(old)
		for name, data := range f {
			switch {
			case strings.HasPrefix(name, "tables/") && bytes.Equal(data, old) && m.IntN(8) > 0:
				f[name] = changed
			case strings.HasPrefix(name, "run."):
				f[name] = replaceTable(data, old, changed)
			}
		}
	}
}

// table changes the JSON of an encoded table.
func (m mutator) table(encoded []byte) []byte {
	const head = len("gptab") + 1
	if len(encoded) < head {
		return encoded
	}
	text, err := io.ReadAll(flate.NewReader(bytes.NewReader(encoded[head:])))
	if err != nil {
		return encoded
	}
	text = m.text(text)
	var out bytes.Buffer
	out.Write(encoded[:head])
	w, _ := flate.NewWriter(&out, flate.BestSpeed)
	w.Write(text)
	w.Close()
	return out.Bytes()
}

// text changes JSON in its structure, one to three times.
func (m mutator) text(text []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var tree any
	if d.Decode(&tree) != nil {
		return m.bytes(text)
	}
	for range 1 + m.IntN(3) {
		tree = m.node(tree, 0)
	}
	out, err := json.Marshal(tree)
	if err != nil {
		return text
	}
	if m.IntN(50) == 0 { // a member twice
		if i := bytes.IndexByte(out, '{'); i >= 0 {
			out = slices.Concat(out[:i+1], []byte(`"Counters":`+pick(m, extremes)+`,"Functions":[{}],`), out[i+1:])
		}
	}
	return out
}

// extremes are numbers that indices, lines and lengths should not be.
var extremes = []string{
	"-1", "-2", "0", "1", "2", "3", "7", "100", "255", "65536", "131072", "1048576", "1048577", "16777216", "1073741823",
	"1073741824", "2147483647", "2147483648", "4294967295", "4294967296", "9007199254740993", "4611686018427387905",
	"9223372036854775807", "-9223372036854775808", "18446744073709551615", "1e3", "0.5",
}

const twoLines = "a\nb"

// strange are texts that names should not be.
var strange = []string{
	"", "\x1b[31mred\x1b[0m", "\u009b31m", twoLines, "\x00", "::error::x", "/etc/hosts.go",
	"../../../etc/hosts.go", "example.com/m", "example.com/m.work", "main.main", "$0", "F[go.shape.int]",
	"<script>", "\u202e", strings.Repeat("x", 3000), "instrumented", "array", "hash", "calls", "trips",
	"numbers", "texts", "loop.back", "if.then", "switch.case", ".", "(*T).M",
}

// node changes a place somewhere below a node, and returns what is there then.
func (m mutator) node(n any, depth int) any {
	here := m.IntN(6) == 0 && depth > 0
	switch v := n.(type) {
	case map[string]any:
		return m.object(v, here, depth)
	case []any:
		return m.array(v, here, depth)
	case json.Number:
		return m.number(v)
	case string:
		return m.string(v)
	case bool:
		return !v
	}
	return pick(m, []any{nil, json.Number("1"), []any{}, map[string]any{}, "x", true})
}

func (m mutator) number(n json.Number) any {
	switch m.IntN(6) {
	case 0, 1:
		return json.Number(pick(m, extremes))
	case 2:
		return pick(m, []any{nil, "x", []any{}, map[string]any{}, true})
	}
	i, err := n.Int64()
	if err != nil {
		return json.Number(pick(m, extremes))
	}
	raw, _ := json.Marshal(i + pick(m, []int64{-1, 1, 2, -2, 10, 100, -100, int64(m.IntN(1000))}))
	return json.Number(raw)
}

func (m mutator) string(s string) any {
	switch m.IntN(4) {
	case 0:
		return s + pick(m, strange)
	case 1:
		return pick(m, []any{nil, json.Number("1"), []any{}, map[string]any{}})
	}
	return pick(m, strange)
}

func (m mutator) object(v map[string]any, here bool, depth int) any {
	keys := slices.Sorted(maps.Keys(v))
	if len(keys) == 0 || here && m.IntN(8) == 0 {
		return pick(m, []any{nil, json.Number("1"), []any{}, "x", map[string]any{}})
	}
	key := pick(m, keys)
	switch {
	case here && m.IntN(2) == 0:
		delete(v, key)
	case here:
		v[key] = v[pick(m, keys)] // of the same type or another
	default:
		v[key] = m.node(v[key], depth+1)
	}
	return v
}

func (m mutator) array(v []any, here bool, depth int) any {
	if len(v) == 0 {
		return pick(m, []any{nil, []any{json.Number("0")}, []any{map[string]any{}}, []any{[]any{}}, json.Number("1")})
	}
	i := m.IntN(len(v))
	if !here {
		v[i] = m.node(v[i], depth+1)
		return v
	}
	switch m.IntN(7) {
	case 0:
		return slices.Delete(v, i, i+1)
	case 1:
		return v[:i]
	case 2: // the same many times
		for range pick(m, []int{1, 1, 2, 2, 10, 10, 100, 1000}) {
			v = append(v, v[i])
		}
	case 3, 4:
		j := m.IntN(len(v))
		v[i], v[j] = v[j], v[i]
	case 5:
		return slices.Insert(v, i, v[m.IntN(len(v))])
	case 6:
		return pick(m, []any{nil, []any{}, map[string]any{}, "x"})
	}
	return v
}

// bytes changes bytes of any file.
func (m mutator) bytes(data []byte) []byte {
	if len(data) == 0 {
		return []byte("x")
	}
	i := m.IntN(len(data))
	switch m.IntN(5) {
	case 0, 1:
		data[i] ^= 1 << m.IntN(8)
	case 2:
		return data[:i]
	case 3:
		j := min(len(data), i+m.IntN(200))
		return slices.Concat(data[:j], data[i:])
	case 4:
		clear(data[i:min(len(data), i+m.IntN(5000))])
	}
	return data
}

const pageSize = 4096

// Words of the head of a record.
const (
	headMagic  = int(unsafe.Offsetof(runfile.Head{}.Magic) / 8)
	headKind   = int(unsafe.Offsetof(runfile.Head{}.Kind) / 8)
	headSize   = int(unsafe.Offsetof(runfile.Head{}.Size) / 8)
	headRegion = int(unsafe.Offsetof(runfile.Head{}.Region) / 8)
)

// recordsIn returns where the records of a run file begin, as far as it is whole.
func recordsIn(run []byte) (at []int) {
	for off := pageSize; off+pageSize <= len(run); {
		size := int(word(run, off, headSize))
		if word(run, off, headMagic) != runfile.RecordMagic || size < pageSize || size > len(run)-off {
			off += pageSize
			continue
		}
		at = append(at, off)
		off += size
	}
	return at
}

func word(run []byte, off, i int) uint64 { return binary.LittleEndian.Uint64(run[off+8*i:]) }

func put(run []byte, off, i int, v uint64) { binary.LittleEndian.PutUint64(run[off+8*i:], v) }

// words are values for any word of a run file.
var words = []uint64{
	0, 1, 2, 3, 8, 16, 63, 64, 88, 4095, 4096, 4097, 8192, 1 << 20, 1 << 31, 1 << 32, 1 << 47, 1 << 62, 1 << 63,
	1<<63 - 1, 1<<64 - 1, 1<<64 - 8, 1<<64 - 4096,
}

// run changes a run file.
func (m mutator) run(run []byte) []byte {
	at := recordsIn(run)
	if len(at) == 0 || m.IntN(8) == 0 {
		return m.bytes(run)
	}
	off := pick(m, at)
	size := int(word(run, off, headSize))
	switch m.IntN(8) {
	case 0: // without the record
		return slices.Concat(run[:off], run[off+size:])
	case 1: // with it twice
		other := pick(m, at)
		return slices.Concat(run[:other], run[off:off+size], run[other:])
	case 2:
		put(run, off, m.IntN(16), pick(m, words))
	case 3:
		i := m.IntN(16)
		put(run, off, i, word(run, off, i)+pick(m, []uint64{1, 1<<64 - 1, 8, 1<<64 - 8, 16, 4096, 1<<64 - 4096}))
	case 4: // the header
		put(run, 0, m.IntN(10), pick(m, words))
	default: // what the record has
		for range 1 + m.IntN(4) {
			i := m.IntN(size / 8)
			for range 200 { // rather what is not 0
				if word(run, off, i) != 0 {
					break
				}
				i = m.IntN(size / 8)
			}
			w := word(run, off, i)
			put(run, off, i, pick(m, []uint64{pick(m, words), w + 1, w ^ 1<<m.IntN(64), word(run, off, m.IntN(size/8))}))
		}
	}
	return run
}

// packageRecords returns where the package records begin.
func packageRecords(run []byte) (at []int) {
	for _, off := range recordsIn(run) {
		if word(run, off, headKind) == runfile.KindPackage && tableIn(run, off) != nil {
			at = append(at, off)
		}
	}
	return at
}

// Words of a package record, and its size in bytes without texts.
const (
	packagePathLen  = int(unsafe.Offsetof(runfile.PackageRecord{}.PathLen) / 8)
	packageTableLen = int(unsafe.Offsetof(runfile.PackageRecord{}.TableLen) / 8)
	packageHead     = int(unsafe.Sizeof(runfile.PackageRecord{}))
)

// tableIn returns the table in a package record, nil if there is none.
func tableIn(run []byte, off int) []byte {
	path, table, region := word(run, off, packagePathLen), word(run, off, packageTableLen), word(run, off, headRegion)
	rest := uint64(len(run) - off)
	if region > rest || path > region || table > region || uint64(packageHead)+path+table > region {
		return nil
	}
	from := uint64(off+packageHead) + path
	return run[from : from+table]
}

// replaceTable puts another table in place of one, and makes room for it if it has to.
func replaceTable(run, old, table []byte) []byte {
	for _, off := range packageRecords(run) {
		if !bytes.Equal(tableIn(run, off), old) {
			continue
		}
		path, region := int(word(run, off, packagePathLen)), int(word(run, off, headRegion))
		from := off + packageHead + path
		if from+len(table)+8 > off+region {
			more := (len(table)/pageSize + 1) * pageSize
			grown := slices.Concat(run[:off+region-8], make([]byte, more), run[off+region-8:])
			put(grown, off, headRegion, uint64(region+more))
			put(grown, off, headSize, word(run, off, headSize)+uint64(more))
			run, region = grown, region+more
		} else {
			run = bytes.Clone(run)
		}
		clear(run[from : off+region-8])
		copy(run[from:], table)
		put(run, off, packageTableLen, uint64(len(table)))
		return run
	}
	return run
}
