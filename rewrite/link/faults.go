package link

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A record faults where its thread has no log, or a full one. C code that handles SIGSEGV in place of Go may end the program for
// it, and nothing tells the program when C code begins to. So a program has no copies if its C code may do so.

// own is the function of C libraries by which package runtime, too, has signals handled.
const own = "sigaction"

// takers are others by which C code may come to handle SIGSEGV, itself or in a library that it loads.
var takers = []string{
	"__sigaction", "signal", "bsd_signal", "ssignal", "sysv_signal", "__sysv_signal", "sigset", "sigvec", "dlopen", "dlmopen",
}

// harmless are libraries that handle no signal unless they are asked to.
var harmless = []string{
	"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libresolv.so.2", "libutil.so.1", "libnsl.so.1",
	"ld-linux-x86-64.so.2", "libc.musl-x86_64.so.1", "libgcc_s.so.1", "libstdc++.so.6", "libatomic.so.1",
}

// takesFaults returns an error if C code of a program may handle SIGSEGV in place of Go: its own, or a library's.
func takesFaults(f *elf.File) error {
	if f.Machine != elf.EM_X86_64 {
		return nil // programs with C code have no copies
	}
	name, err := taker(f)
	if err != nil {
		return err
	}
	if name != "" {
		return fmt.Errorf("its C code refers to %s, and may handle SIGSEGV in place of Go", name)
	}
	return takenByLibraries(f, make(map[string]bool))
}

// taker returns the name of a function that C code of a program refers to and that may have it handle SIGSEGV, "" if there is
// none.
func taker(f *elf.File) (string, error) {
	targets := make(map[uint64]bool)
	imports, err := f.DynamicSymbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return "", err
	}
	for i, s := range imports {
		switch {
		case slices.Contains(takers, s.Name), s.Name == own && s.Value != 0: // some pointer has its address
			return s.Name, nil
		case s.Name == own:
			slots, ok := slotsOf(f, i+1)
			if !ok {
				return own, nil
			}
			addStubs(f, slots, targets)
		}
	}
	var except elf.Symbol // package runtime's
	symbols, err := f.Symbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return "", err
	}
	for _, s := range symbols {
		switch defined := s.Section != elf.SHN_UNDEF && elf.ST_TYPE(s.Info) == elf.STT_FUNC; {
		case s.Name == "x_cgo_sigaction":
			except = s
		case defined && s.Name == own: // of a library that is linked statically
			targets[s.Value] = true
		case defined && slices.Contains(takers, s.Name):
			return s.Name, nil
		}
	}
	if len(targets) > 0 && refers(f, targets, except.Value, except.Value+except.Size) {
		return own, nil
	}
	return "", nil
}

// slotsOf returns where a program has the address of what it imports, by its number. It is not ok if that is in data.
func slotsOf(f *elf.File, number int) (slots map[uint64]bool, ok bool) {
	slots = make(map[uint64]bool)
	for _, s := range f.Sections {
		if s.Type != elf.SHT_RELA || s.Flags&elf.SHF_ALLOC == 0 {
			continue
		}
		data, err := s.Data()
		if err != nil {
			return nil, false
		}
		const size = 24
		for ; len(data) >= size; data = data[size:] {
			info := binary.LittleEndian.Uint64(data[8:])
			if elf.R_SYM64(info) != uint32(number) {
				continue
			}
			switch elf.R_X86_64(elf.R_TYPE64(info)) {
			case elf.R_X86_64_JMP_SLOT, elf.R_X86_64_GLOB_DAT:
				slots[binary.LittleEndian.Uint64(data)] = true
			default:
				return nil, false
			}
		}
	}
	return slots, true
}

// isLinkage reports whether a section has jumps to what the program imports.
func isLinkage(s *elf.Section) bool { return strings.HasPrefix(s.Name, ".plt") }

// addStubs adds slots to targets, and the addresses of jumps through them.
func addStubs(f *elf.File, slots, targets map[uint64]bool) {
	for a := range slots {
		targets[a] = true
	}
	const entry = 16 // an entry's size: the jump may be behind an instruction or a prefix
	for _, s := range f.Sections {
		if isLinkage(s) {
			each(s, func(at, to uint64) bool {
				if slots[to] {
					targets[at&^(entry-1)] = true
				}
				return false
			})
		}
	}
}

// refers reports whether code of a program, but for that from an address up to another, refers to a target.
func refers(f *elf.File, targets map[uint64]bool, from, to uint64) bool {
	return slices.ContainsFunc(f.Sections, func(s *elf.Section) bool {
		return s.Flags&elf.SHF_EXECINSTR != 0 && !isLinkage(s) && each(s, func(at, target uint64) bool {
			return targets[target] && (at < from || at >= to)
		})
	})
}

// each calls a function for all in a section that may refer to an address, until it returns true: by a displacement from the next
// instruction, or by a constant. The function has the address of the byte in front of it, and the address that is referred to.
func each(s *elf.Section, do func(at, to uint64) bool) bool {
	if s.Type != elf.SHT_PROGBITS {
		return false
	}
	data, err := s.Data()
	if err != nil {
		return true
	}
	for k := 1; k+4 <= len(data); k++ {
		v := binary.LittleEndian.Uint32(data[k:])
		at := s.Addr + uint64(k)
		to := uint64(v)
		switch op := data[k-1]; {
		case op == 0xe8 || op == 0xe9 || op&0xf0 == 0x80 || op&0xc7 == 0x05: // CALL, JMP, Jcc, an operand in memory
			to = at + 4 + uint64(int64(int32(v)))
		case op&0xf8 == 0xb8 || op&0xf8 == 0xc0: // MOV of a constant
		default:
			continue
		}
		if do(at-1, to) {
			return true
		}
	}
	return false
}

// takenByLibraries returns an error if a library that a file is linked with, or one of these with, may handle SIGSEGV.
func takenByLibraries(f *elf.File, seen map[string]bool) error {
	list, err := f.ImportedLibraries()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return err
	}
	for _, name := range list {
		if seen[name] || slices.Contains(harmless, name) {
			continue
		}
		seen[name] = true
		l := openLibrary(f, name)
		if l == nil {
			return fmt.Errorf("its library %s is not found, which may handle SIGSEGV in place of Go", name)
		}
		err := takenByLibrary(l, name, seen)
		l.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// takenByLibrary is takenByLibraries for a library, and for those that it is linked with.
func takenByLibrary(l *elf.File, name string, seen map[string]bool) error {
	imports, err := l.ImportedSymbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return fmt.Errorf("its library %s: %w", name, err)
	}
	for _, s := range imports {
		if s.Name == own || slices.Contains(takers, s.Name) {
			return fmt.Errorf("its library %s refers to %s, and may handle SIGSEGV in place of Go", name, s.Name)
		}
	}
	return takenByLibraries(l, seen)
}

// openLibrary opens a library where the loader may find it, nil if it is nowhere.
func openLibrary(f *elf.File, name string) *elf.File {
	folders := filepath.SplitList(os.Getenv("LD_LIBRARY_PATH"))
	for _, tag := range []elf.DynTag{elf.DT_RPATH, elf.DT_RUNPATH} {
		list, _ := f.DynString(tag)
		for _, paths := range list {
			folders = append(folders, filepath.SplitList(paths)...)
		}
	}
	folders = append(folders, "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib",
		"/usr/local/lib/x86_64-linux-gnu", "/usr/local/lib64", "/usr/local/lib")
	for _, folder := range folders {
		if l, err := elf.Open(filepath.Join(folder, name)); err == nil {
			if l.Machine == f.Machine {
				return l
			}
			l.Close()
		}
	}
	return nil
}
