package parquetfile

import (
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// RowGroup is how many rows are compressed together, and held in memory. DuckDB and ClickHouse read as many at a time in each
// thread, some hundred thousand at most. There are fewer if their values take more than mostHeld bytes: rows of a few numbers and
// texts take half of that.
const (
	RowGroup = 1 << 16
	mostHeld = 64 << 20
)

// magic begins and ends a file.
const magic = "PAR1"

// Encodings of values, the codec of pages, and kinds of pages.
const (
	encodingPlain = 0
	encodingRLE   = 3
	encodingIndex = 8
	codecZstd     = 6
	pageData      = 0
	pageIndex     = 2 // a dictionary
)

// A Writer writes a file whose rows are structs of type R.
type Writer[R any] struct {
	out     io.Writer
	at      int64 // bytes that have been written
	creator string
	fields  []field
	rows    int // in the row group
	held    int // bytes of their values
	total   int64
	groups  []rowGroup
	zip     *zstd.Encoder
	err     error
}

// A rowGroup is one that has been written.
type rowGroup struct {
	rows   int
	chunks []chunk
}

// A chunk is a column of a row group.
type chunk struct {
	leaf            *leaf
	values, nulls   int64
	raw, zipped     int64 // bytes with all headers
	dictionary      int64 // offset in the file, 0 if there is none
	data            int64
	least, greatest []byte
	bounded         bool
}

// New returns a writer. The file says that it was made by creator.
func New[R any](out io.Writer, creator string) *Writer[R] {
	zip, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return &Writer[R]{out: out, creator: creator, fields: fieldsOf(reflect.TypeFor[R]()), zip: zip}
}

// Write writes rows.
func (w *Writer[R]) Write(rows ...R) error {
	for i := range rows {
		row := reflect.ValueOf(&rows[i]).Elem()
		for j := range w.fields {
			w.held += w.fields[j].add(row.FieldByIndex(w.fields[j].index))
		}
		if w.rows++; w.rows == RowGroup || w.held > mostHeld {
			w.flush()
		}
	}
	return w.err
}

// numberSize is what a number and its levels take, in bytes.
const numberSize = 8

// add adds the value of a row, and returns about how many bytes it takes.
func (f *field) add(v reflect.Value) (size int) {
	l := f.leaves[0]
	switch {
	case f.shape == mapping:
		return f.addMap(v.Interface().(map[string]string))
	case f.shape == listed:
		if v.Len() == 0 {
			l.level(false, false)
		}
		for i := range v.Len() {
			l.level(i > 0, true)
			l.addNumber(v.Index(i).Int())
		}
		return v.Len() * numberSize
	case l.optional:
		l.level(false, !v.IsNil())
		if v.IsNil() {
			return numberSize
		}
		return l.add(v.Elem())
	}
	return l.add(v)
}

// addMap is add for a map, in order of the keys.
func (f *field) addMap(values map[string]string) (size int) {
	for i, text := range slices.Sorted(maps.Keys(values)) {
		for j, text := range []string{text, values[text]} {
			f.leaves[j].level(i > 0, true)
			f.leaves[j].addText(text)
			size += numberSize + len(text)
		}
	}
	if len(values) == 0 {
		for _, l := range f.leaves {
			l.level(false, false)
		}
	}
	return size
}

// add is add for a value that is no list or map.
func (l *leaf) add(v reflect.Value) (size int) {
	switch l.physical {
	case byteArray:
		l.addText(v.String())
		return numberSize + v.Len()
	case boolean:
		l.addNumber(int64(bit(v.Bool())))
	default:
		l.addNumber(v.Int())
	}
	return numberSize
}

// flush writes the row group.
func (w *Writer[R]) flush() {
	if w.at == 0 {
		w.write([]byte(magic))
	}
	if w.rows == 0 {
		return
	}
	g := rowGroup{rows: w.rows}
	for _, f := range w.fields {
		for _, l := range f.leaves {
			g.chunks = append(g.chunks, w.chunk(l))
			l.reset()
		}
	}
	w.groups = append(w.groups, g)
	w.total, w.rows, w.held = w.total+int64(w.rows), 0, 0
}

// chunk writes the values of a leaf in a row group.
func (w *Writer[R]) chunk(l *leaf) chunk {
	c := chunk{leaf: l, values: int64(len(l.indexes)) + l.nulls(), nulls: l.nulls()}
	c.least, c.greatest, c.bounded = l.bounds()
	encoding := int32(encodingPlain)
	if l.byIndex() {
		encoding = encodingIndex
		c.dictionary = w.at
		w.page(&c, l.dictionaryPage(), pageIndex, func(m *message) {
			m.open(7)
			m.i32(1, int32(l.different()))
			m.i32(2, encodingPlain)
			m.end()
		})
	}
	c.data = w.at
	w.page(&c, l.dataPage(), pageData, func(m *message) {
		m.open(5)
		m.i32(1, int32(c.values))
		m.i32(2, encoding)
		m.i32(3, encodingRLE)
		m.i32(4, encodingRLE)
		m.end()
	})
	return c
}

// page writes a page of some kind, whose header is what about adds to.
func (w *Writer[R]) page(c *chunk, page []byte, kind int32, about func(*message)) {
	zipped := w.zip.EncodeAll(page, nil)
	m := newMessage()
	m.i32(1, kind)
	m.i32(2, int32(len(page)))
	m.i32(3, int32(len(zipped)))
	about(m)
	m.end()
	w.write(m.data)
	w.write(zipped)
	c.raw += int64(len(m.data) + len(page))
	c.zipped += int64(len(m.data) + len(zipped))
}

// write writes, unless something has failed before.
func (w *Writer[R]) write(data []byte) {
	if w.err != nil {
		return
	}
	n, err := w.out.Write(data)
	w.at, w.err = w.at+int64(n), err
}

// Close writes what is left, and the end of the file, without which it cannot be read.
func (w *Writer[R]) Close() error {
	w.flush()
	m := newMessage()
	m.i32(1, 2) // version of the format
	schema(m, 2, w.fields)
	m.i64(3, w.total)
	m.list(4, typeStruct, len(w.groups))
	for i := range w.groups {
		w.groups[i].append(m)
	}
	m.text(6, w.creator)
	leaves := 0
	for _, f := range w.fields {
		leaves += len(f.leaves)
	}
	m.list(7, typeStruct, leaves)
	for range leaves { // bounds are in the order of the type
		m.begin()
		m.empty(1)
		m.end()
	}
	m.end()
	w.write(binary.LittleEndian.AppendUint32(m.data, uint32(len(m.data))))
	w.write([]byte(magic))
	if w.err != nil {
		return fmt.Errorf("write Parquet: %w", w.err)
	}
	return nil
}

// append appends what the end of a file says of a row group.
func (g *rowGroup) append(m *message) {
	m.begin()
	m.list(1, typeStruct, len(g.chunks))
	raw, zipped := int64(0), int64(0)
	for i := range g.chunks {
		g.chunks[i].append(m)
		raw, zipped = raw+g.chunks[i].raw, zipped+g.chunks[i].zipped
	}
	m.i64(2, raw)
	m.i64(3, int64(g.rows))
	m.i64(6, zipped)
	m.end()
}

// append appends what the end of a file says of a column of a row group.
func (c *chunk) append(m *message) {
	first, encodings := c.data, []int32{encodingPlain, encodingRLE}
	if c.dictionary > 0 {
		first, encodings = c.dictionary, append(encodings, encodingIndex)
	}
	m.begin()
	m.i64(2, first)
	m.open(3)
	m.i32(1, int32(c.leaf.physical))
	m.list(2, typeI32, len(encodings))
	for _, e := range encodings {
		m.data = binary.AppendVarint(m.data, int64(e))
	}
	m.list(3, typeBinary, len(c.leaf.path))
	for _, name := range c.leaf.path {
		m.element(name)
	}
	m.i32(4, codecZstd)
	m.i64(5, c.values)
	m.i64(6, c.raw)
	m.i64(7, c.zipped)
	m.i64(9, c.data)
	if c.dictionary > 0 {
		m.i64(11, c.dictionary)
	}
	m.open(12)
	m.i64(3, c.nulls)
	if c.bounded {
		m.text(5, string(c.greatest))
		m.text(6, string(c.least))
	}
	m.end()
	m.end()
	m.end()
}
