package parquetfile

import (
	"encoding/binary"
	"math/bits"
	"strings"
)

// A column has the values of a leaf in a row group.
type column struct {
	repeats  []uint32 // of a leaf that is repeated: whether a value is of the same row as the one before
	defined  []uint32 // of a leaf that is optional or repeated: whether there is a value
	indexes  []uint32 // of values, in the dictionary
	numbers  dictionary[int64]
	texts    dictionary[string]
	physical int
}

// A dictionary has the different values of a column in the order in which they came first.
type dictionary[V comparable] struct {
	list  []V
	index map[V]uint32
}

// of returns the index of a value.
func (d *dictionary[V]) of(v V) uint32 {
	i, ok := d.index[v]
	if !ok {
		i = uint32(len(d.list))
		if d.index == nil {
			d.index = make(map[V]uint32)
		}
		d.index[v] = i
		d.list = append(d.list, v)
	}
	return i
}

func (d *dictionary[V]) reset() {
	d.list = d.list[:0]
	clear(d.index)
}

func (c *column) init(physical int) { c.physical = physical }

func (c *column) reset() {
	c.repeats, c.defined, c.indexes = c.repeats[:0], c.defined[:0], c.indexes[:0]
	c.numbers.reset()
	c.texts.reset()
}

func (c *column) addNumber(n int64) { c.indexes = append(c.indexes, c.numbers.of(n)) }

// addText adds a text. Readers refuse files with texts that are not UTF-8.
func (c *column) addText(text string) {
	c.indexes = append(c.indexes, c.texts.of(strings.ToValidUTF8(text, "\uFFFD")))
}

// level notes whether there is a value, and whether it is of the same row as the one before.
func (c *column) level(repeats, defined bool) {
	c.repeats = append(c.repeats, bit(repeats))
	c.defined = append(c.defined, bit(defined))
}

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// different returns how many different values there are.
func (c *column) different() int {
	if c.physical == byteArray {
		return len(c.texts.list)
	}
	return len(c.numbers.list)
}

// byIndex reports whether values are written by their index in a dictionary: it is small enough that it pays.
func (c *column) byIndex() bool {
	return c.physical != boolean && c.different() > 0 && c.different() <= len(c.indexes)/2+1
}

// appendValue appends a value of the dictionary as it is.
func (c *column) appendValue(b []byte, i uint32) []byte {
	switch c.physical {
	case byteArray:
		text := c.texts.list[i]
		return append(binary.LittleEndian.AppendUint32(b, uint32(len(text))), text...)
	case int32Type:
		return binary.LittleEndian.AppendUint32(b, uint32(c.numbers.list[i]))
	default:
		return binary.LittleEndian.AppendUint64(b, uint64(c.numbers.list[i]))
	}
}

// dictionaryPage returns the values of the dictionary.
func (c *column) dictionaryPage() (b []byte) {
	for i := range c.different() {
		b = c.appendValue(b, uint32(i))
	}
	return b
}

// dataPage returns the levels and the values.
func (l *leaf) dataPage() (b []byte) {
	if l.repeated {
		b = appendLevels(b, l.repeats)
	}
	if l.repeated || l.optional {
		b = appendLevels(b, l.defined)
	}
	switch {
	case l.byIndex():
		width := bits.Len(uint(l.different() - 1))
		return appendHybrid(append(b, byte(width)), l.indexes, width)
	case l.physical == boolean:
		return l.appendBits(b)
	}
	for _, i := range l.indexes {
		b = l.appendValue(b, i)
	}
	return b
}

// appendBits appends values that are true or false, eight in a byte.
func (l *leaf) appendBits(b []byte) []byte {
	for i, index := range l.indexes {
		if i%8 == 0 {
			b = append(b, 0)
		}
		b[len(b)-1] |= byte(l.numbers.list[index]) << (i % 8)
	}
	return b
}

// appendLevels appends levels of one bit, with the length of what they take before.
func appendLevels(b []byte, levels []uint32) []byte {
	begin := len(b)
	b = appendHybrid(append(b, 0, 0, 0, 0), levels, 1)
	binary.LittleEndian.PutUint32(b[begin:], uint32(len(b)-begin-4))
	return b
}

// nulls returns how many values there are not.
func (l *leaf) nulls() int64 {
	if !l.repeated && !l.optional {
		return 0
	}
	return int64(len(l.defined) - len(l.indexes))
}

// longestBound is the most bytes of text that are written as the least or the greatest.
const longestBound = 256

// bounds returns the least and the greatest value as they are in pages, without lengths. There is none if there are no values.
func (l *leaf) bounds() (least, greatest []byte, ok bool) {
	if l.different() == 0 || l.physical == boolean {
		return nil, nil, false
	}
	first, last := uint32(0), uint32(0)
	for i := range uint32(l.different()) {
		if l.less(i, first) {
			first = i
		}
		if l.less(last, i) {
			last = i
		}
	}
	least, greatest = l.appendValue(nil, first), l.appendValue(nil, last)
	if l.physical == byteArray {
		least, greatest = least[4:], greatest[4:]
	}
	return least, greatest, len(least) <= longestBound && len(greatest) <= longestBound
}

func (l *leaf) less(a, b uint32) bool {
	if l.physical == byteArray {
		return strings.Compare(l.texts.list[a], l.texts.list[b]) < 0
	}
	return l.numbers.list[a] < l.numbers.list[b]
}
