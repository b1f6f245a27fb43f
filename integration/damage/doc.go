// Package damage damages profiles, and has everything that reads profiles read them.
//
// Its seeds are real profiles of one program, testdata/*.zip, of all modes. An input is one of them, changed in
// one to four ways: a path table's JSON in its structure (numbers to extremes, members deleted, elements
// repeated and swapped, values of other types), deflated again and put back into the run file; run files by
// bits, words and records; the manifest and the plan of coverage. It is loaded, exported in some of all formats,
// and one of: shown on all pages, reported as a page, checked, compared, merged, made a coverage profile of.
// There may be errors; a panic, an input that takes more than two seconds of CPU time, and one that takes a
// gigabyte of memory are failures, and so is a control character in text.
//
//	go test ./integration/damage -damage.n 100000 -timeout 3h    # each in a process with bounds, -damage.workers of them at a time
//	go test ./integration/damage -damage.from 4711 -damage.n 1   # one input again
//	go test ./integration/damage -fuzz FuzzProfile -fuzzminimizetime=10x
package damage
