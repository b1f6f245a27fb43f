package restore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/goprofinstr/goprofinstr/rewrite/label"
)

// The table begins with
//
//	0  magic, 2 zeroes, size of the least instruction, size of a pointer
//	8  number of functions
//	16 number of strings in filetab
//	24 not used
//	32 offsets of funcnametab, cutab, filetab, pctab, and the table of functions
//
// in go1.20 to go1.27 (runtime.pcHeader). Cutab has 4 bytes for each file of each package: where in filetab its name is, or
// absent. Filetab has the names one after the other, each with a zero behind it.
const (
	go120Magic  = 0xfffffff1
	pointerSize = 8
	filesAt     = 16
	cutabAt     = 40
	filetabAt   = 48
	pctabAt     = 56
	headerSize  = 72
	absent      = ^uint32(0)
)

// restoreTable restores the names in the runtime's table, and returns how many had labels.
func restoreTable(table []byte) (labelled int, err error) {
	word := binary.LittleEndian.Uint64
	switch {
	case len(table) < headerSize || binary.LittleEndian.Uint32(table) != go120Magic:
		return 0, errors.New("it has another form than that of go1.20 to go1.27")
	case table[7] != pointerSize:
		return 0, fmt.Errorf("pointers have %d bytes", table[7])
	}
	cu, files, pc := word(table[cutabAt:]), word(table[filetabAt:]), word(table[pctabAt:])
	if cu > files || files > pc || pc > uint64(len(table)) {
		return 0, errors.New("its parts are not in order")
	}
	moved, labelled, err := restoreNames(table[files:pc], table[filesAt:])
	if err != nil || labelled == 0 {
		return 0, err
	}
	for cutab := table[cu:files]; len(cutab) >= 4; cutab = cutab[4:] {
		old := binary.LittleEndian.Uint32(cutab)
		if old == absent {
			continue
		}
		offset, ok := moved[old]
		if !ok {
			return 0, fmt.Errorf("no file has its name at %d", old)
		}
		binary.LittleEndian.PutUint32(cutab, offset)
	}
	return labelled, nil
}

// restoreNames writes the names of filetab without labels, each once, and their number. It returns where the names are that
// were at an offset, and how many had labels.
func restoreNames(filetab, number []byte) (moved map[uint32]uint32, labelled int, err error) {
	n := binary.LittleEndian.Uint64(number)
	moved = make(map[uint32]uint32)
	at := make(map[string]uint32)
	var names []byte
	offset := 0
	for range n {
		length := bytes.IndexByte(filetab[offset:], 0)
		if length < 0 {
			return nil, 0, fmt.Errorf("it has fewer than %d names of files", n)
		}
		name, _, ok := label.Split(string(filetab[offset : offset+length]))
		if ok {
			labelled++
		}
		if _, ok := at[name]; !ok {
			at[name] = uint32(len(names))
			names = append(append(names, name...), 0)
		}
		moved[uint32(offset)] = at[name]
		offset += length + 1
	}
	if labelled > 0 {
		clear(filetab[copy(filetab, names):offset])
		binary.LittleEndian.PutUint64(number, uint64(len(at)))
	}
	return moved, labelled, nil
}
