package rundata

import (
	"encoding/binary"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

func (d *decoder) labelRecord(off uint64) error {
	var r runfile.LabelRecord
	if err := d.fill(off, &r); err != nil {
		return err
	}
	head := uint64(binary.Size(r))
	if room := r.Size - head; r.ServiceLen > room || r.AttributesLen > room-r.ServiceLen {
		return d.errorf(off, "a service of %d bytes and attributes of %d in a record of %d", r.ServiceLen, r.AttributesLen, r.Size)
	}
	text, err := d.hold(off+head, r.ServiceLen+r.AttributesLen)
	if err != nil {
		return err
	}
	d.run.Service, d.run.Attributes = string(text[:r.ServiceLen]), string(text[r.ServiceLen:])
	return nil
}
