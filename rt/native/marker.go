package native

import (
	"runtime"

	"github.com/goprofinstr/goprofinstr/rt"
)

// Native probes, which cost nothing until they fire. Package rewrite/patch says how.
//
// Rewritten code has, at the end of a path, one of
//
//	S[5].R = r    the path has number 5+r in the package's array of estimates
//	S[5].One = 1  it has number 5
//	T[3].R = r    it is path r of hash table 3
//
// Each of these is nothing but a store. It is small enough for any function to be inlined as it would be, no reason for
// a stack frame, and always one instruction. After linking it is replaced.

// A Site is where the markers of one kind of path end store. One store is of a byte and the other of a word, which keeps the
// compiler from making one store of two. So does the order: neither is next to another of its size.
type Site struct {
	R   U
	One byte
}

// MarkRegister is a marker as an expression. It returns 0.
func MarkRegister(s *Site, r U) U {
	s.R = r
	return 0
}

// MarkOne is a marker as an expression. It returns 0.
func MarkOne(s *Site) U {
	s.One = 1
	return 0
}

// KeepMark has the word of an activation be in its frame, where it is looked for. It generates no code.
func KeepMark(word *U) { runtime.KeepAlive(word) }

// Markers tells where in memory the markers of a package and what they stand for are. The program that patches the
// executable finds it by its first words.
type Markers struct {
	Magic    [2]U
	Sites    *Site
	N        U
	Hashed   *Site // of functions with a hash table
	NHashed  U
	Counters *U // estimate of path 0
	Hashes   *rt.Hash
	HashSize U
}

// The first words of a Markers. They are nowhere else in a program's data.
const (
	MarkersMagic0 = 0x1f8e_6b02_d3c9_4a75
	MarkersMagic1 = 0x9b47_20c5_e816_3fda
)

// MarkersWords is how many words a Markers has behind these.
const MarkersWords = 7

// usedMarkers keeps the linker from leaving Markers out.
var usedMarkers *Markers

// UseMarkers returns 0.
//
//go:noinline
func UseMarkers(m *Markers) U {
	usedMarkers = m
	return 0
}

// An Image is what the executable has for us behind what the linker made: the code that armed sites call, and the list of
// sites. The program that patches the executable fills it in.
type Image struct {
	Magic  [2]U
	Offset U // in the file; the list is behind the code
	Code   U // size of the code, in bytes; a multiple of the page size
	Base   U // address at which the code has to be
	Sites  U // how many there are: their addresses, 4 bytes each, and then their SiteAts, 4 bytes each
	Left   U // accesses to markers that are not sites, and never sampled

	// What package runtime has for it: where a g has its thread, and that its cursor.
	Thread, Cursor U

	// Here is a function of this package, named [ImageHere]: its place in the table of functions tells where the program's
	// Go code begins. C code can lie in front of it.
	Here func()
}

// ImageHere is the name of the function that [Image] has, in the program's table of functions.
const ImageHere = "goprofinstr/rt/native.here"

// The first words of an Image.
const (
	ImageMagic0 = 0x62d0_95ab_7f13_c84e
	ImageMagic1 = 0xc1f4_8e36_0a5d_72b9
)

// ImageWords is how many words an Image has behind these.
const ImageWords = 8

// EndedSize is the size of what a log has for a path end, in bytes: where the estimate is, and the number of the site. If
// the estimate is in a Hash it is the path, and the site is in the upper half of where that is.
const EndedSize = 16

// MostPaths is how many paths a function whose estimates are in an array has at most: pathnum.MaxArray. What is noted of
// others is no path end.
const MostPaths = 1 << 17
