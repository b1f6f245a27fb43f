// Package damage damages profiles, and has everything that reads profiles read them.
//
// Its seeds are real profiles of one program, testdata/*.zip, of all modes. An input is one of them, changed in
// one to four ways. A path table's JSON is changed in its structure, deflated again and put back into the run
// file. Numbers become extremes, members are deleted, elements are repeated and swapped, and values get other
// types. Run files are changed by bits, words and records. The manifest and the plan of coverage are changed,
// too. An input is loaded, exported in some of all formats, and put to one more use. It is shown on all pages,
// reported as a page, checked, compared, merged, or made a coverage profile of. There may be errors. A panic, an
// input that takes more than two seconds of CPU time, and one that takes a gigabyte of memory are failures. So
// is a control character in text.
//
//	go test ./integration/damage -damage.n 100000 -timeout 3h    # each in a process with bounds, -damage.workers of them at a time
//	go test ./integration/damage -damage.from 4711 -damage.n 1   # one input again
//	go test ./integration/damage -fuzz FuzzProfile -fuzzminimizetime=10x
package damage
