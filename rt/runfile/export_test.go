package runfile

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// What the tests in package rt_test, which reads run files with rundata, need
// from inside.

// EncodeRun encodes a run of one package and the given tables, each the first
// of its Hash. Hash 0 is said to be at address base.
func EncodeRun(path, table string, counters []U, base U, tables ...[]U) []byte {
	p := &Package{Path: path, Table: table, Counters: unsafe.SliceData(counters), N: U(len(counters)), NHashes: len(tables)}
	words := make([][]U, len(tables))
	for i, entries := range tables {
		const head = U(unsafe.Sizeof(TableRecord{}))
		w := make([]U, sys.RoundUp(head+U(len(entries))*8, MinPage)/8)
		size := U(len(w)) * 8
		*(*TableRecord)(unsafe.Pointer(&w[0])) = TableRecord{
			Head: Head{RecordMagic, KindTable, size, head, size - head},
			Hash: base + U(i)*HashSize, Entries: U(len(entries) / 2),
		}
		copy(w[head/8:], entries)
		words[i] = w
	}
	b := encodeRun(42, 1_700_000_000_123_456_789, 3, []*Package{p}, words, nil)
	copy(b[MinPage+U(unsafe.Offsetof(PackageRecord{}.Hash)):], appendWords(nil, []U{base}))
	return b
}
