package load

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"maps"
	"os"
	"slices"

	"golang.org/x/tools/go/packages"
)

// A Sum is a hash.
type Sum [sha256.Size]byte

// Sum returns a hash of all that Load knows and on which the types, the graphs and the rewritten files of p depend. These are the
// files that are compiled with p or lie beside, and those of all that p imports. Sum goes further than it must: only the types of
// what a package imports matter. But types are known from compiled packages alone. To see whether the go command would have to
// compile them takes longer than to read the files.
//
// What cgo makes of files that import "C" is among the files of p itself. For packages that p imports Sum has the files
// themselves. What cgo makes of them depends on the C compiler and its headers as well. The go command does the same: its build
// cache does not notice changed C libraries either (go help cache).
func (b *Build) Sum(p *Package) Sum {
	h := newHash("package")
	h.words(p.ID, p.Path, p.Dir, p.Root, p.GoVersion, p.Declined, fmt.Sprint(p.TestFiles))
	h.module(p.Module)
	h.number(len(p.Files))
	for _, f := range p.Files {
		h.words(f.Name, f.Declined, string(f.Src))
	}
	h.number(len(p.all))
	for _, f := range p.all {
		h.words(f.Declined, string(f.Src))
	}
	h.number(len(p.Beside))
	for _, src := range p.Beside {
		h.words(string(src))
	}
	for _, path := range slices.Sorted(maps.Keys(p.imports)) {
		h.words(path, p.imports[path])
	}
	b.addImports(h, p.listed)
	return h.sum()
}

// SumAll returns a hash of the packages of the build, with all their files.
func (b *Build) SumAll() Sum {
	h := newHash("build")
	for _, p := range b.Roots {
		s := b.sumOf(p)
		h.Write(s[:])
	}
	return h.sum()
}

// SumOf returns a hash of the files of a package of the build and those of all that it imports.
func (b *Build) SumOf(p *packages.Package) Sum { return b.sumOf(p) }

func (b *Build) addImports(h hasher, p *packages.Package) {
	h.number(len(p.Imports))
	for _, path := range slices.Sorted(maps.Keys(p.Imports)) {
		s := b.sumOf(p.Imports[path])
		h.words(path)
		h.Write(s[:])
	}
}

// sumOf returns a hash of a package with what it imports. Load has called it for all packages; from then on it only looks it up.
func (b *Build) sumOf(p *packages.Package) Sum {
	if s, ok := b.sums[p.ID]; ok {
		return s
	}
	b.sums[p.ID] = Sum{} // of packages that import each other, which is an error
	h := newHash("import")
	h.words(p.ID, p.PkgPath, p.Name)
	h.module(p.Module)
	for _, list := range [][]string{p.GoFiles, p.OtherFiles} {
		h.number(len(list))
		for _, name := range list {
			b.addFile(h, name)
		}
	}
	h.number(len(p.Errors))
	b.addImports(h, p)
	s := h.sum()
	b.sums[p.ID] = s
	return s
}

// addFile adds a file: its contents, or its size and time where these do.
func (b *Build) addFile(h hasher, name string) {
	h.words(name)
	if slices.ContainsFunc(b.config.Settled, func(dir string) bool { return within(name, dir) }) {
		if info, err := os.Stat(name); err == nil {
			h.number(int(info.Size()))
			h.number(int(info.ModTime().UnixNano()))
			return
		}
	}
	src, err := b.config.Source(name)
	if err != nil {
		h.words("unreadable", err.Error())
		return
	}
	h.words("contents", string(src))
}

// A hasher hashes words and numbers such that no two sequences of them run into one.
type hasher struct{ hash.Hash }

func newHash(kind string) hasher {
	h := hasher{sha256.New()}
	h.words(kind)
	return h
}

func (h hasher) words(list ...string) {
	for _, s := range list {
		h.number(len(s))
		h.Write([]byte(s))
	}
}

func (h hasher) number(n int) { fmt.Fprintf(h, "%d ", n) }

func (h hasher) module(m *packages.Module) {
	if m == nil {
		h.words("no module")
		return
	}
	h.words(m.Path, m.Version, m.GoVersion, m.Dir, fmt.Sprint(m.Main))
}

func (h hasher) sum() (s Sum) {
	h.Sum(s[:0])
	return s
}
