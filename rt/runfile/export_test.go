package runfile

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// What the tests in package runfile_test need from inside.

// EncodeRun encodes a run of one package and the given hash chunks, each the first
// of its Hash. Hash 0 is said to be at address base.
func EncodeRun(path, table, root string, counters []U, base U, chunks ...[]U) []byte {
	p := &Package{Path: path, Table: table, Root: root, Counters: unsafe.SliceData(counters), N: U(len(counters)), NHashes: len(chunks)}
	words := make([][]U, len(chunks))
	for i, entries := range chunks {
		const head = U(unsafe.Sizeof(HashRecord{}))
		w := make([]U, sys.RoundUp(head+U(len(entries))*8, MinPage)/8)
		size := U(len(w)) * 8
		*(*HashRecord)(unsafe.Pointer(&w[0])) = HashRecord{
			Head: Head{RecordMagic, KindHash, size, head, size - head},
			Hash: base + U(i)*HashSize, Entries: U(len(entries) / 2),
		}
		copy(w[head/8:], entries)
		words[i] = w
	}
	b := encodeRun(42, 1_700_000_000_123_456_789, 3, []*Package{p}, words, nil)
	copy(b[MinPage+U(unsafe.Offsetof(PackageRecord{}.Hash)):], appendWords(nil, []U{base}))
	return b
}
