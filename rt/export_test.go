package rt

import "unsafe"

// What the tests in package rt_test, which reads run files with rundata, need
// from inside.

// EncodeRun encodes a run of one package and the given tables, each the first
// of its Hash. Hash 0 is said to be at address base.
func EncodeRun(path, table string, counters []U, base U, tables ...[]U) []byte {
	p := &pkg{path: path, table: table, counters: unsafe.SliceData(counters), n: U(len(counters)), nh: len(tables)}
	words := make([][]U, len(tables))
	for i, entries := range tables {
		w := make([]U, roundUp(TabWords*8+U(len(entries))*8, MinPage)/8)
		w[RecMagic], w[RecKind] = RecordMagic, KindTable
		w[RecSize] = U(len(w)) * 8
		w[RecRegion], w[RecRegionSize] = TabWords*8, w[RecSize]-TabWords*8
		w[TabHash], w[TabEntries] = base+U(i)*HashSize, U(len(entries)/2)
		copy(w[TabWords:], entries)
		words[i] = w
	}
	b := encodeRun(42, 1_700_000_000_123_456_789, 3, []*pkg{p}, words, nil)
	copy(b[MinPage+PkgHash*8:], appendWords(nil, []U{base}))
	return b
}
