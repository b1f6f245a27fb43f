package table

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Source is a source file of a package: what tells the file from later versions of it, and how Go's coverage divides it.
type Source struct {
	File string // as Function.File
	Sum  Sum

	// Names are the base names that //line directives before functions give these; see Extent.Name.
	Names []string `json:",omitempty"`
	// Extents are encoded; see AppendExtents. They are by position. Nobody but a coverage profile needs them.
	Extents []byte `json:",omitempty"`
}

// An Extent is a run of statements with one count in Go's coverage profile. Lines and columns are 1-based, columns in bytes.
type Extent struct {
	Line, Col int // of the counter, whatever //line directives say: it is in the run of statements that it counts

	// The rest is as profiles have it. Before go1.27 //line directives move it.
	StartLine, StartCol, EndLine, EndCol int

	Stmts int // statements
	Name  int // index in Source.Names, plus 1; 0 is the file's own name
}

// Moved reports whether a directive gives an extent another place than it has in the file.
func (e Extent) Moved() bool {
	return e.Name != 0 || e.StartLine != e.Line || e.StartCol != e.Col && e.StartCol != e.Col-1
}

// What of an extent is in its first number, below Stmts.
const (
	// extentBefore is set if the extent starts at the byte before its counter, which is a brace; otherwise it starts there.
	extentBefore = 1 << iota
	// extentElsewhere is set if where it starts, and its name, are numbers of their own.
	extentElsewhere
	extentFlags = iota
)

// AppendExtents encodes extents that are sorted by Line and Col. Each is a number with Stmts and flags, how many lines
// it is below the one before, and its column. One that starts elsewhere says how many lines below the counter it starts,
// in which column, and its name. The last two are how many lines below the start it ends, and in which column. Most are
// a byte each.
func AppendExtents(b []byte, extents []Extent) []byte {
	line := 0
	for _, e := range extents {
		flags := 0
		switch {
		case e.Moved():
			flags = extentElsewhere
		case e.StartCol == e.Col-1:
			flags = extentBefore
		}
		b = binary.AppendUvarint(b, uint64(e.Stmts)<<extentFlags|uint64(flags))
		b = binary.AppendUvarint(b, uint64(e.Line-line))
		b = binary.AppendUvarint(b, uint64(e.Col))
		if flags == extentElsewhere {
			b = binary.AppendVarint(b, int64(e.StartLine-e.Line))
			b = binary.AppendUvarint(b, uint64(e.StartCol))
			b = binary.AppendUvarint(b, uint64(e.Name))
		}
		b = binary.AppendVarint(b, int64(e.EndLine-e.StartLine))
		b = binary.AppendUvarint(b, uint64(e.EndCol))
		line = e.Line
	}
	return b
}

var errExtents = errors.New("extents of coverage are damaged")

// Decode returns the extents of a file. What it returns are lines and columns, and names that there are.
func (s *Source) Decode() ([]Extent, error) {
	var list []Extent
	d := extentDecoder{data: s.Extents}
	line := 0
	for len(d.data) > 0 && d.err == nil {
		var e Extent
		first := d.number()
		e.Stmts = first >> extentFlags
		e.Line, e.Col = line+d.number(), d.number()
		e.StartLine, e.StartCol = e.Line, e.Col
		switch first & (1<<extentFlags - 1) {
		case 0:
		case extentBefore:
			e.StartCol--
		case extentElsewhere:
			e.StartLine += d.distance()
			e.StartCol, e.Name = d.number(), d.number()
		default:
			d.err = errExtents
		}
		e.EndLine, e.EndCol = e.StartLine+d.distance(), d.number()
		sane := isLine(e.Line, e.Col, e.StartLine, e.StartCol, e.EndLine, e.EndCol, e.Stmts) && e.Name <= len(s.Names)
		if d.err == nil && !sane {
			d.err = errExtents
		}
		line = e.Line
		list = append(list, e)
	}
	if d.err != nil {
		return nil, fmt.Errorf("%s: %w", s.File, d.err)
	}
	return list, nil
}

// An extentDecoder takes numbers from the front of data. After an error they are 0.
type extentDecoder struct {
	data []byte
	err  error
}

func (d *extentDecoder) number() int {
	v, n := binary.Uvarint(d.data)
	if n <= 0 || v > mostLine<<extentFlags|1<<extentFlags-1 {
		d.data, d.err = nil, errExtents
		return 0
	}
	d.data = d.data[n:]
	return int(v)
}

func (d *extentDecoder) distance() int {
	v, n := binary.Varint(d.data)
	if n <= 0 || v > mostLine || v < -mostLine {
		d.data, d.err = nil, errExtents
		return 0
	}
	d.data = d.data[n:]
	return int(v)
}
