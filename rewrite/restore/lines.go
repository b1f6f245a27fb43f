package restore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/goprofinstr/goprofinstr/rewrite/label"
)

// errShort is the error of tables that end too early.
var errShort = errors.New("they end in the middle")

// errNoNumber is the error of a name that could not become shorter.
var errNoNumber = errors.New("there is no number behind the name of a file")

// restoreLines restores the names in the line tables of all units, and returns how many had labels. (DWARF 5, section 6.2.4.)
func restoreLines(lines []byte) (labelled int, err error) {
	for len(lines) > 0 {
		r := &reader{data: lines, offsetSize: 4}
		length := r.fixed(4)
		if length == 0xffffffff {
			r.offsetSize = 8
			length = r.fixed(8)
		}
		if r.failed || length > uint64(len(r.data)) {
			return 0, errShort
		}
		lines = r.data[length:]
		r.data = r.data[:length:length]
		n, err := r.header()
		if err != nil {
			return 0, err
		}
		labelled += n
	}
	return labelled, nil
}

// header restores the names in the header of a unit's line table, behind its length.
func (r *reader) header() (labelled int, err error) {
	version := r.fixed(2)
	if version == 5 {
		r.skip(2) // sizes of addresses and segment selectors
	}
	length := r.fixed(r.offsetSize)
	if r.failed || length > uint64(len(r.data)) {
		return 0, errShort
	}
	r.data = r.data[:length:length]
	r.skip(4) // size of the least instruction, is_stmt, line_base, line_range
	if version >= 4 {
		r.skip(1) // operations per instruction
	}
	r.skip(int(r.fixed(1)) - 1) // operands of each operation
	switch version {
	case 2, 3, 4:
		labelled, err = r.oldFiles()
	case 5:
		if _, err = r.entries(); err == nil { // folders
			labelled, err = r.entries()
		}
	default:
		return 0, fmt.Errorf("they have version %d", version)
	}
	if err == nil && r.failed {
		err = errShort
	}
	return labelled, err
}

// oldFiles restores names before DWARF 5: folders, and files with three numbers each, both up to an empty name.
func (r *reader) oldFiles() (labelled int, err error) {
	for len(r.name()) > 0 {
	}
	for !r.failed {
		name := r.data
		n := len(r.name())
		if n == 0 {
			break
		}
		folder := r.data
		r.number()
		if r.failed {
			break
		}
		if shorten(name[:n+1], folder[:len(folder)-len(r.data)]) {
			labelled++
		}
		r.number()
		r.number()
	}
	return labelled, nil
}

// What entries of a table of DWARF 5 have, and in which form.
const (
	contentPath = 1

	formBlock2, formBlock4, formData2, formData4, formData8 = 0x03, 0x04, 0x05, 0x06, 0x07
	formString, formBlock, formBlock1, formData1, formStrp  = 0x08, 0x09, 0x0a, 0x0b, 0x0e
	formUdata, formSecOffset, formStrx, formData16          = 0x0f, 0x17, 0x1a, 0x1e
	formLineStrp                                            = 0x1f
)

// entries restores the names in a table of DWARF 5, of folders or files.
func (r *reader) entries() (labelled int, err error) {
	type field struct{ content, form uint64 }
	var format []field
	for range r.fixed(1) {
		format = append(format, field{r.number(), r.number()})
	}
	n := r.number()
	if len(format) == 0 {
		return 0, nil // entries of nothing take no room, however many there are said to be
	}
	for ; n > 0 && !r.failed; n-- {
		var name []byte // with a label, if there was one
		for _, f := range format {
			before := r.data
			if err := r.value(f.form); err != nil {
				return 0, err
			}
			if r.failed {
				break
			}
			value := before[:len(before)-len(r.data)]
			switch {
			case name != nil && f.form != formUdata:
				return 0, errNoNumber
			case name != nil:
				shorten(name, value)
				name = nil
				labelled++
			case f.content == contentPath && f.form == formString:
				if _, _, ok := label.Split(string(value[:len(value)-1])); ok {
					name = value
				}
			}
		}
		if name != nil && !r.failed {
			return 0, errNoNumber
		}
	}
	return labelled, nil
}

// value reads a value in a form.
func (r *reader) value(form uint64) error {
	switch form {
	case formString:
		r.name()
	case formUdata, formStrx:
		r.number()
	case formData1:
		r.skip(1)
	case formData2:
		r.skip(2)
	case formData4:
		r.skip(4)
	case formData8:
		r.skip(8)
	case formData16:
		r.skip(16)
	case formStrp, formLineStrp, formSecOffset:
		r.skip(r.offsetSize)
	case formBlock:
		r.skip(int(r.number()))
	case formBlock1:
		r.skip(int(r.fixed(1)))
	case formBlock2:
		r.skip(int(r.fixed(2)))
	case formBlock4:
		r.skip(int(r.fixed(4)))
	default:
		return fmt.Errorf("they have values in form %#x", form)
	}
	return nil
}

// shorten takes the label off a name with a zero behind it, which the number is behind. The number moves up, and has more
// bytes for it, as ULEB128 may have. It reports whether there was a label.
func shorten(name, number []byte) bool {
	file, _, ok := label.Split(string(name[:len(name)-1]))
	if !ok {
		return false
	}
	both := name[: len(name)+len(number) : len(name)+len(number)]
	value, _ := binary.Uvarint(number)
	both[len(file)] = 0
	padded := both[len(file)+1:]
	for i := range padded {
		padded[i] = byte(value)&0x7f | 0x80
		value >>= 7
	}
	padded[len(padded)-1] &^= 0x80
	return true
}

// A reader reads what is in front of it.
type reader struct {
	data       []byte
	offsetSize int  // of offsets into other sections
	failed     bool // there was not enough
}

// skip leaves n bytes out.
func (r *reader) skip(n int) {
	if n < 0 || n > len(r.data) {
		r.failed, r.data = true, nil
		return
	}
	r.data = r.data[n:]
}

// fixed reads a number of n bytes, at most 8.
func (r *reader) fixed(n int) uint64 {
	var b [8]byte
	copy(b[:n], r.data)
	r.skip(n)
	return binary.LittleEndian.Uint64(b[:])
}

// number reads an ULEB128.
func (r *reader) number() uint64 {
	v, n := binary.Uvarint(r.data)
	if n <= 0 {
		n = -1
	}
	r.skip(n)
	return v
}

// name reads a string that ends with a zero.
func (r *reader) name() []byte {
	n := bytes.IndexByte(r.data, 0)
	if n < 0 {
		r.skip(-1)
		return nil
	}
	name := r.data[:n]
	r.skip(n + 1)
	return name
}
