package sys

// Pad is the number of words that a counter array has before and after its
// counters, so that whole pages cover the counters: 16384 bytes, the pages of Apple's processors. A program for
// amd64 may run on these, too.
const Pad = 2048

// Page is the unit of mappings, in bytes: at least the size of the system's pages.
const Page = Pad * 8
