//go:build linux && (amd64 || arm64 || riscv64)

package rt

// auditRegion is where the ring begins in an audit record.
const auditRegion = page

// newAudit maps a new audit record, without its magic, or returns nil.
//
//go:norace
func newAudit() *U {
	const size = auditRegion + AuditSlots*8
	if loadp(&run.head) == nil {
		return nil
	}
	off, err := reserve(size)
	if err == 0 {
		p, e := mmap(0, size, run.fd, off)
		if e == 0 {
			record := (*U)(p)
			*Word(record, RecKind), *Word(record, RecSize) = KindAudit, size
			*Word(record, RecRegion), *Word(record, RecRegionSize) = auditRegion, AuditSlots*8
			return record
		}
		err = e
	}
	complain("writing a run file in", err.text(), notWritten)
	return nil
}
