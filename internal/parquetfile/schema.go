package parquetfile

import (
	"reflect"
	"strings"
)

// Physical types.
const (
	boolean   = 0
	int32Type = 1
	int64Type = 2
	byteArray = 6
)

// Repetition types.
const (
	required = 0
	optional = 1
	repeated = 2
)

// A shape is what a column is of.
type shape int

const (
	plain   shape = iota
	listed        // a list: one leaf
	mapping       // a map: two leaves
)

// A field is a field of the row that is a column.
type field struct {
	index  []int
	shape  shape
	leaves []*leaf
}

// A leaf is a column of values.
type leaf struct {
	path     []string
	physical int
	logical  string // date or timestamp, or what follows from the type
	optional bool
	repeated bool // it has any number of values in a row
	column
}

// fieldsOf returns the columns of a row.
func fieldsOf(row reflect.Type) (list []field) {
	for _, f := range reflect.VisibleFields(row) {
		if f.Anonymous {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		if name == "" {
			panic("BUG: a field without the tag parquet: " + f.Name)
		}
		list = append(list, newField(f, name, options))
	}
	return list
}

func newField(f reflect.StructField, name, options string) field {
	of := field{index: f.Index}
	switch t := f.Type; t.Kind() {
	case reflect.Map:
		of.shape = mapping
		for _, part := range []string{"key", "value"} {
			of.leaves = append(of.leaves, &leaf{path: []string{name, "key_value", part}, physical: byteArray, repeated: true})
		}
	case reflect.Slice:
		of.shape = listed
		of.leaves = []*leaf{{path: []string{name, "list", "element"}, physical: physicalOf(t.Elem()), repeated: true}}
	case reflect.Pointer:
		of.leaves = []*leaf{{path: []string{name}, physical: physicalOf(t.Elem()), optional: true}}
	default:
		of.leaves = []*leaf{{path: []string{name}, physical: physicalOf(t)}}
	}
	if logical, _, _ := strings.Cut(options, "("); logical == "date" || logical == "timestamp" {
		of.leaves[0].logical = logical
	}
	for _, l := range of.leaves {
		l.init(l.physical)
	}
	return of
}

func physicalOf(t reflect.Type) int {
	switch t.Kind() {
	case reflect.String:
		return byteArray
	case reflect.Bool:
		return boolean
	case reflect.Int32:
		return int32Type
	case reflect.Int64:
		return int64Type
	}
	panic("BUG: a column of type " + t.String())
}

// Converted types, which older readers know, and the numbers of logical types.
const (
	convertedText, convertedMap, convertedPair, convertedList, convertedDate, convertedMicros = 0, 1, 2, 3, 6, 10
	logicalText, logicalMap, logicalList, logicalDate, logicalTimestamp                       = 1, 2, 3, 6, 8
	unitMicros                                                                                = 2
)

// schema appends the list of the elements of a schema, in order of depth.
func schema(m *message, number int, fields []field) {
	elements := 1
	for _, f := range fields {
		elements += map[shape]int{plain: 1, listed: 3, mapping: 4}[f.shape]
	}
	m.list(number, typeStruct, elements)
	group(m, "rows", -1, len(fields), -1, 0)
	for _, f := range fields {
		path := f.leaves[0].path
		switch f.shape {
		case listed:
			group(m, path[0], required, 1, convertedList, logicalList)
			group(m, path[1], repeated, 1, -1, 0)
		case mapping:
			group(m, path[0], required, 1, convertedMap, logicalMap)
			group(m, path[1], repeated, 2, convertedPair, 0)
		}
		for _, l := range f.leaves {
			l.schema(m)
		}
	}
}

// group appends the element of a group. Converted and repetition are -1, and logical is 0, if it has none.
func group(m *message, name string, repetition int32, children int, converted int32, logical int) {
	m.begin()
	if repetition >= 0 {
		m.i32(3, repetition)
	}
	m.text(4, name)
	m.i32(5, int32(children))
	if converted >= 0 {
		m.i32(6, converted)
	}
	if logical > 0 {
		m.open(10)
		m.empty(logical)
		m.end()
	}
	m.end()
}

// schema appends the element of a leaf.
func (l *leaf) schema(m *message) {
	m.begin()
	m.i32(1, int32(l.physical))
	repetition := int32(required)
	if l.optional {
		repetition = optional
	}
	m.i32(3, repetition)
	m.text(4, l.path[len(l.path)-1])
	switch {
	case l.physical == byteArray:
		m.i32(6, convertedText)
		m.open(10)
		m.empty(logicalText)
		m.end()
	case l.logical == "date":
		m.i32(6, convertedDate)
		m.open(10)
		m.empty(logicalDate)
		m.end()
	case l.logical == "timestamp":
		m.i32(6, convertedMicros)
		m.open(10)
		m.open(logicalTimestamp)
		m.bool(1, true) // in UTC
		m.open(2)
		m.empty(unitMicros)
		m.end()
		m.end()
		m.end()
	}
	m.end()
}
