// Package restore gives files their names back in a linked program whose sources had labels (package label). Then stack
// traces, runtime.Caller, profiles and debuggers show what they show of the plain program. Lines have been those of the
// original before.
//
// Names are in two tables. Nothing else of the program changes.
//
//   - The runtime's: .gopclntab has a string for each file (filetab). For each file of each package it has where its
//     string is (cutab). Names with labels are left out of filetab, and cutab leads to those without. What becomes free
//     at the end is zeroes.
//   - DWARF's: .debug_line has the files of each package. The name becomes shorter by the label. Behind the name stands
//     the number of its folder, which becomes longer by as much. A number may have more bytes than it needs (DWARF 5,
//     section 7.6). So nothing moves.
//
// A file that had labels has several numbers in both tables, with one name. Readers compare names.
//
// # Not handled
//
// Programs that are not ELF of 64 bits, little-endian, and sections that are compressed otherwise than with zlib.
package restore
