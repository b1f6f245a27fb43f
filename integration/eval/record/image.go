package record

import (
	"cmp"
	"debug/elf"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// An image says what addresses in a program are.
type image struct {
	symbols    []elf.Symbol // of functions, by address
	arrays     []array      // of counters and hash tables
	functions  []*profile.Function
	firstBlock []uint64 // number of its first block, by function
	decoders   []*pathnum.Decoder
}

// An array is the counters of a package, or its hash tables.
type array struct {
	lo, hi  uint64
	hashes  bool
	first   []uint64 // of counters or hash tables, in ascending order: where those of each function begin
	numbers []int    // of these functions
}

// Names of the variables, as package rewrite has them.
const (
	countersName = ".gpi_C"
	hashesName   = ".gpi_H"
)

func readImage(program string, p *profile.Profile) (*image, error) {
	f, err := elf.Open(program)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	m := new(image)
	packages := m.addFunctions(p)
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			m.symbols = append(m.symbols, s)
			continue
		}
		for _, suffix := range []string{countersName, hashesName} {
			if pkg, ok := strings.CutSuffix(s.Name, suffix); ok {
				if numbers := packages[unescape(pkg)]; numbers != nil {
					m.addArray(&s, suffix == hashesName, numbers)
				}
			}
		}
	}
	slices.SortFunc(m.symbols, func(a, b elf.Symbol) int { return cmp.Compare(a.Value, b.Value) })
	return m, nil
}

// unescape returns the import path in a symbol's name.
func unescape(name string) string {
	if path, err := url.PathUnescape(name); err == nil {
		return path
	}
	return name
}

// addFunctions numbers the functions and their blocks. It returns the numbers of each package's.
func (m *image) addFunctions(p *profile.Profile) map[string][]int {
	packages := make(map[string][]int)
	block := uint64(0)
	for _, f := range p.Functions() {
		if f.Declined() {
			continue
		}
		packages[f.Package] = append(packages[f.Package], len(m.functions))
		m.functions, m.firstBlock = append(m.functions, f), append(m.firstBlock, block)
		block += uint64(len(f.Table.Blocks))
	}
	m.decoders = make([]*pathnum.Decoder, len(m.functions))
	return packages
}

// addArray adds a variable of a package whose functions have some numbers.
func (m *image) addArray(s *elf.Symbol, hashes bool, numbers []int) {
	a := array{lo: s.Value, hi: s.Value + s.Size, hashes: hashes}
	for _, n := range numbers {
		if t := m.functions[n].Table; (t.Storage == table.StorageHash) == hashes {
			a.numbers = append(a.numbers, n)
		}
	}
	where := func(n int) uint64 {
		if hashes {
			return uint64(m.functions[n].Table.Hash)
		}
		return m.functions[n].Table.First
	}
	slices.SortFunc(a.numbers, func(x, y int) int { return cmp.Compare(where(x), where(y)) })
	for _, n := range a.numbers {
		a.first = append(a.first, where(n))
	}
	m.arrays = append(m.arrays, a)
}

// find returns the function of a path, and the path's number. Addresses of hash tables are odd, see rt.isHash.
func (m *image) find(k key) (function int, id uint64, err error) {
	at, hashes := k.at&^1, k.at&1 != 0
	for i := range m.arrays {
		a := &m.arrays[i]
		if a.hashes != hashes || at < a.lo || at >= a.hi {
			continue
		}
		index := (at - a.lo) / runfile.HashSize
		if !hashes {
			index = ((at-a.lo)/8 - rt.Pad) / 2 // an estimate and the samples
		}
		j, exactly := slices.BinarySearch(a.first, index)
		if !exactly {
			j--
		}
		if j < 0 || hashes && !exactly {
			break
		}
		if hashes {
			return a.numbers[j], k.path, nil
		}
		return a.numbers[j], index - a.first[j], nil
	}
	return 0, 0, fmt.Errorf("address %#x is no path's", k.at)
}

func (m *image) decoder(function int) *pathnum.Decoder {
	if m.decoders[function] == nil {
		m.decoders[function] = m.functions[function].Decoder()
	}
	return m.decoders[function]
}

// isIn reports whether an address is in a function itself, and not where it has been inlined.
func (m *image) isIn(pc uint64, function int) bool {
	pc-- // a return address can be that of the next function
	i, exactly := slices.BinarySearchFunc(m.symbols, pc, func(s elf.Symbol, pc uint64) int { return cmp.Compare(s.Value, pc) })
	if !exactly {
		i--
	}
	return i >= 0 && unescape(m.symbols[i].Name) == m.functions[function].Table.Name
}
