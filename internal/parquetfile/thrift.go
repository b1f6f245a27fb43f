package parquetfile

import "encoding/binary"

// Types of fields in Thrift's compact protocol.
const (
	typeTrue   = 1
	typeFalse  = 2
	typeI32    = 5
	typeI64    = 6
	typeBinary = 8
	typeList   = 9
	typeStruct = 12
)

// A message is a struct in Thrift's compact protocol in the making: its fields come in order of their numbers.
//
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
type message struct {
	data []byte
	last []int // number of the last field of each struct that is open, the outermost first
}

func newMessage() *message { return &message{last: []int{0}} }

// field begins a field.
func (m *message) field(number, kind int) {
	last := &m.last[len(m.last)-1]
	if delta := number - *last; delta > 0 && delta < 16 {
		m.data = append(m.data, byte(delta<<4|kind))
	} else {
		m.data = binary.AppendVarint(append(m.data, byte(kind)), int64(number)) // which is zigzag, as Thrift's
	}
	*last = number
}

func (m *message) i32(number int, n int32) {
	m.field(number, typeI32)
	m.data = binary.AppendVarint(m.data, int64(n))
}

func (m *message) i64(number int, n int64) {
	m.field(number, typeI64)
	m.data = binary.AppendVarint(m.data, n)
}

func (m *message) bool(number int, b bool) {
	if b {
		m.field(number, typeTrue)
	} else {
		m.field(number, typeFalse)
	}
}

func (m *message) text(number int, text string) {
	m.field(number, typeBinary)
	m.element(text)
}

// element is text in a list.
func (m *message) element(text string) {
	m.data = append(binary.AppendUvarint(m.data, uint64(len(text))), text...)
}

// list begins a list of n elements, which follow.
func (m *message) list(number, kind, n int) {
	m.field(number, typeList)
	if n < 15 {
		m.data = append(m.data, byte(n<<4|kind))
		return
	}
	m.data = binary.AppendUvarint(append(m.data, byte(15<<4|kind)), uint64(n))
}

// open begins a struct that is a field, and begin one that is in a list. Both are ended by end.
func (m *message) open(number int) {
	m.field(number, typeStruct)
	m.begin()
}

func (m *message) begin() { m.last = append(m.last, 0) }

func (m *message) end() {
	m.data = append(m.data, 0)
	m.last = m.last[:len(m.last)-1]
}

// empty is a field that is a struct without fields.
func (m *message) empty(number int) {
	m.open(number)
	m.end()
}
