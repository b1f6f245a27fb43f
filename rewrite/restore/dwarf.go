package restore

import (
	"bytes"
	"compress/zlib"
	"debug/elf"
	"encoding/binary"
	"errors"
)

// compressionHeader is the size of what a compressed section begins with: type, 4 bytes that are not used, size, alignment.
const compressionHeader = 24

// restoreDWARF restores the names in DWARF's line tables, if there are any, and returns the program and how many names had
// labels.
func restoreDWARF(data []byte, f *elf.File) ([]byte, int, error) {
	index := -1
	for i, s := range f.Sections {
		if s.Name == ".debug_line" {
			index = i
		}
	}
	if index < 0 {
		return data, 0, nil
	}
	s := f.Sections[index]
	stored, err := contents(data, s)
	if err != nil {
		return nil, 0, err
	}
	if s.Flags&elf.SHF_COMPRESSED == 0 {
		n, err := restoreLines(stored)
		return data, n, err
	}
	lines, err := s.Data() // knows all compressions
	if err != nil {
		return nil, 0, err
	}
	n, err := restoreLines(lines)
	if err != nil || n == 0 {
		return data, n, err
	}
	compressed, err := compress(lines, stored)
	if err != nil {
		return nil, 0, err
	}
	if len(compressed) <= len(stored) {
		copy(stored, compressed)
		setSection(data, index, s.Offset, uint64(len(compressed)))
		return data, n, nil
	}
	// No program header has it, so it can be anywhere.
	data = append(data, make([]byte, -len(data)&7)...)
	setSection(data, index, uint64(len(data)), uint64(len(compressed)))
	return append(data, compressed...), n, nil
}

// compress returns a section as the linker compresses it, with the header that it had.
func compress(section, old []byte) ([]byte, error) {
	if binary.LittleEndian.Uint32(old) != uint32(elf.COMPRESS_ZLIB) {
		return nil, errors.New("they are compressed otherwise than with zlib")
	}
	var b bytes.Buffer
	b.Write(old[:compressionHeader])
	w, err := zlib.NewWriterLevel(&b, zlib.BestSpeed)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(section)
	err = errors.Join(err, w.Close())
	return b.Bytes(), err
}

// setSection writes where a section is in the file.
func setSection(data []byte, index int, offset, size uint64) {
	const (
		headersAt, sizeAt = 0x28, 0x3a // in the header of the file: where the headers of sections are, and how large one is
		offsetAt          = 0x18       // in that of a section; its size comes next
	)
	header := data[binary.LittleEndian.Uint64(data[headersAt:])+uint64(index)*uint64(binary.LittleEndian.Uint16(data[sizeAt:])):]
	binary.LittleEndian.PutUint64(header[offsetAt:], offset)
	binary.LittleEndian.PutUint64(header[offsetAt+8:], size)
}
