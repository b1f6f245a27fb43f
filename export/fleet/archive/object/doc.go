// Package object is how an archive keeps what runs have counted: an object for a run, or one for all of a day.
//
//	data, err := object.Encode(&object.Object{
//		Service: "shop", Final: true,
//		Runs:  []object.Run{{Host: "web1", Name: "4711.1767225600000000000", Start: start, Process: true, Labels: "zone=eu"}},
//		Parts: []object.Part{{Labels: "zone=eu", Counts: counts}}, // packages have the SHA-256 of a path table in place of the table
//	})
//	o, err := object.Decode(data) // Encode gives data again
//
// Runs with the same labels are added up, and those with others are kept apart. So the object of a day has a part for each
// set of labels.
//
// Every object has one encoding, so equal counts are equal bytes, whatever they were added up of and in whatever order. That
// is why nothing is compressed: what a compressor writes is another thing in another release of Go. Entries take
// two to four bytes as they are, in place of the 16 of a [rundata.Entry].
//
// Decode takes nothing on trust. The length of the data bounds what it holds in memory, but for an empty slice for each hash
// table that is not in use. What the data promise of counters and hash tables is bounded by what the largest run has.
//
// Versions 1 and 2 of the format are read. Version 2 does not have how far off estimates may be together. Version 1 has neither
// names of values nor ticks, and the objects of its days no labels.
//
// Not handled are path tables, which are objects of their own, and anything that a tally does not have.
package object
