//go:build !386

package sys

// Pad is the number of words that a counter array has before and after its
// counters. Nothing can be mapped over it, so it needs no room for whole pages.
const Pad = 0

// Page is the unit of mappings, in bytes: views of files begin at its multiples.
const Page = 65536
