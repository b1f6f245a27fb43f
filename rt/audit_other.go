//go:build !linux || !(amd64 || arm64 || riscv64)

package rt

// auditRegion is where the ring begins in an audit record.
const auditRegion = MinPage

// newAudit returns a new audit record, without its magic, or nil. It is written when the program ends: nobody can watch.
//
//go:norace
func newAudit() *U {
	const size = auditRegion + AuditSlots*8
	record := (*U)(newTable(size))
	if record != nil {
		*Word(record, RecKind), *Word(record, RecSize) = KindAudit, size
		*Word(record, RecRegion), *Word(record, RecRegionSize) = auditRegion, AuditSlots*8
	}
	return record
}
