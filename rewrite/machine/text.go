package machine

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Text returns all functions of the program, by address. Of those that it is not Open's task to return nothing is known but where
// they are, their package, and whether they are of assembly. [Image.Decode] decodes them.
func (im *Image) Text() ([]*Function, error) {
	assembly, err := im.assembly()
	if err != nil {
		return nil, err
	}
	known := make(map[uint64]*Function)
	for _, f := range im.Funcs {
		known[f.Lo] = f
	}
	var list []*Function
	for _, s := range im.symbols {
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Size == 0 || im.text.at(s.Value) == nil {
			continue
		}
		f := known[s.Value]
		if f == nil {
			f = &Function{Name: s.Name, Lo: s.Value, Hi: s.Value + s.Size}
		}
		flag, ok := assembly[f.Lo]
		if !ok {
			continue // it is of C, or begins in the middle of a function
		}
		f.Package, f.Assembly = unitOf(im.units, f.Lo), flag
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b *Function) int { return int(a.Lo) - int(b.Lo) })
	return slices.CompactFunc(list, func(a, b *Function) bool { return a.Lo == b.Lo }), nil
}

// A codeUnit is a part of the code of a package.
type codeUnit struct {
	lo, hi uint64
	path   string
}

// unitOf returns the package that an address is of, "" if that is not known.
func unitOf(list []codeUnit, at uint64) string {
	k, found := slices.BinarySearchFunc(list, at, func(u codeUnit, at uint64) int { return int(u.lo) - int(at) })
	if !found {
		k--
	}
	if k < 0 || at >= list[k].hi {
		return ""
	}
	return list[k].path
}

// The runtime's table of functions has, in go1.20 to go1.27 (runtime.pcHeader, runtime._func, abi.FuncFlag),
//
//	8   number of functions
//	64  offset of the functions: for each two words of 4 bytes, its distance from runtime.text and where from here its _func is
//
// and a _func has its flags in byte 41.
const (
	tableMagic  = 0xfffffff1
	functionsAt = 64
	flagsAt     = 41
	isAssembly  = 1 << 2
)

// assembly returns for the address of each function whether it is of assembly.
func (im *Image) assembly() (map[uint64]bool, error) {
	s := im.File.Section(".gopclntab")
	if s == nil {
		return nil, errors.New("it has no table of functions")
	}
	table, err := s.Data()
	if err != nil {
		return nil, err
	}
	if len(table) < functionsAt+8 || binary.LittleEndian.Uint32(table) != tableMagic {
		return nil, errors.New("its table of functions has another form than that of go1.20 to go1.27")
	}
	n, at := binary.LittleEndian.Uint64(table[8:]), binary.LittleEndian.Uint64(table[functionsAt:])
	if at > uint64(len(table)) || n > uint64(len(table))/8 || uint64(len(table))-at < 8*n {
		return nil, errors.New("its table of functions ends too early")
	}
	functions := table[at:]
	flags := make(map[uint64]bool, n)
	for k := range n {
		distance, to := binary.LittleEndian.Uint32(functions[8*k:]), binary.LittleEndian.Uint32(functions[8*k+4:])
		if uint64(to)+flagsAt >= uint64(len(functions)) {
			return nil, fmt.Errorf("function %d of its table is not in it", k)
		}
		flags[im.goText+uint64(distance)] = functions[to+flagsAt]&isAssembly != 0
	}
	return flags, nil
}

// Calls returns where direct calls of a function lead, and jumps to other functions, and whether it calls through registers. It
// decodes the code, and keeps nothing of it.
func (im *Image) Calls(f *Function) (to []uint64, indirect bool, err error) {
	code := im.text.at(f.Lo)
	if uint64(len(code)) < f.Hi-f.Lo {
		return nil, false, errors.New("outside of the text")
	}
	for pc := f.Lo; pc < f.Hi; {
		n, l := im.arch.leads(code[pc-f.Lo:f.Hi-f.Lo], pc)
		if n == 0 {
			return nil, false, fmt.Errorf("no instruction at %#x", pc)
		}
		pc += uint64(n)
		if l.direct && (l.to < f.Lo || l.to >= f.Hi) {
			to = append(to, l.to)
		}
		indirect = indirect || l.register
	}
	return to, indirect, nil
}

// A lead is where a call or an unconditional jump leads: to an address, or to one in a register. Other instructions have none.
type lead struct {
	to               uint64
	direct, register bool
}

// leads does not take a jump through a table for one by a register: only there does it go through R27.
func (arm64) leads(code []byte, pc uint64) (n int, l lead) {
	if len(code) < 4 {
		return 0, l
	}
	w := word(binary.LittleEndian.Uint32(code))
	switch {
	case w.bits(26, 5) == 5: // B, BL
		l.to, l.direct = pc+uint64(4*w.signed(0, 26)), true
	case w&0xffdffc1f == 0xd61f0000: // BR, BLR
		l.register = w.rn() != temporary
	}
	return 4, l
}
