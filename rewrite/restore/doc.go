// Package restore gives files their names back in a linked program whose sources had labels (package label), so that stack traces,
// runtime.Caller, profiles and debuggers show what they show of the plain program. Lines are those of the original already.
//
// Names are in two tables, and nothing else of the program changes:
//
//   - The runtime's: .gopclntab has a string for each file, and cutab for each file of each package where its string is. Each string is there
//     once, so those with labels are left out, and cutab leads to those without. What becomes free at the end is zeroes.
//   - DWARF's: .debug_line has the files of each package. The name becomes shorter by the label. The number that stands behind it, that of the
//     folder, becomes longer by as much: a number may have more bytes than it needs (DWARF 5, section 7.6). So nothing moves.
//
// Files that had several labels are in both several times under one number each, which readers do not mind.
package restore
