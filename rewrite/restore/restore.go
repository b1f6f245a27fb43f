package restore

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
)

// A Report says what was found.
type Report struct {
	Runtime int // names with labels that the runtime's table had
	DWARF   int // and DWARF's; 0 if there is none
}

// Names returns an executable with its names restored. It writes to data.
func Names(data []byte) ([]byte, Report, error) {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, Report{}, err
	}
	if f.ByteOrder != binary.LittleEndian || f.Class != elf.ELFCLASS64 {
		return nil, Report{}, fmt.Errorf("it is for %v", f.Machine)
	}
	var r Report
	table, err := runtimeTable(data, f)
	if err != nil {
		return nil, r, err
	}
	if r.Runtime, err = restoreTable(table); err != nil {
		return nil, r, fmt.Errorf("the runtime's table of functions: %w", err)
	}
	data, r.DWARF, err = restoreDWARF(data, f)
	if err != nil {
		return nil, r, fmt.Errorf("DWARF's line tables: %w", err)
	}
	return data, r, nil
}

// contents returns the bytes of a section in the file.
func contents(data []byte, s *elf.Section) ([]byte, error) {
	if s.Type == elf.SHT_NOBITS || s.Offset > uint64(len(data)) || s.FileSize > uint64(len(data))-s.Offset {
		return nil, fmt.Errorf("section %s is not in the file", s.Name)
	}
	return data[s.Offset : s.Offset+s.FileSize : s.Offset+s.FileSize], nil
}

// runtimeTable returns the runtime's table of functions, which position-independent programs have under another name.
func runtimeTable(data []byte, f *elf.File) ([]byte, error) {
	for _, name := range []string{".gopclntab", ".data.rel.ro.gopclntab"} {
		if s := f.Section(name); s != nil {
			return contents(data, s)
		}
	}
	return nil, errors.New("it has no table of functions")
}
