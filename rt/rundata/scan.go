package rundata

import "github.com/goprofinstr/goprofinstr/rt/runfile"

// A gap is where records are that are not finished, or never will be. Two threads may grow one Hash at once, and tables of
// windows are made before they are needed.
type gap struct{ from, to uint64 }

// mostGap is how many pages of a gap are looked at. What is behind a longer one is seen when it is closed, or by Read.
const mostGap = 1 << 12

// scan looks at the records that are new, and at those that were not finished before. What is not finished when a process is
// killed is left to Read.
func (p *Poller) scan(d *decoder) error {
	open := p.gaps
	p.gaps = nil
	for i, g := range open {
		at, err := p.scanFrom(d, g.from, g.to)
		if err != nil {
			p.gaps = append(append(p.gaps, gap{at, g.to}), open[i+1:]...)
			return err
		}
		if at < g.to {
			p.gaps = append(p.gaps, gap{at, g.to})
		}
	}
	at, err := p.scanFrom(d, p.off, d.size)
	p.off = at
	return err
}

// scanFrom looks at the records from an offset up to another, and returns where the last that is finished ends. What is not
// finished between is noted as a gap.
func (p *Poller) scanFrom(d *decoder, from, to uint64) (end uint64, err error) {
	end = from
	for off, pages := from, 0; to-min(off, to) >= d.page; {
		var head runfile.Head
		if err := d.fill(off, &head); err != nil {
			return end, err
		}
		if head.Magic != runfile.RecordMagic {
			if pages == 0 && isBegun(&head, d.page, to-off) {
				off += head.Size
				continue
			}
			if pages++; pages > mostGap {
				return end, nil
			}
			off += d.page
			continue
		}
		pages = 0
		if head.Size == 0 || head.Size%d.page != 0 || head.Size > to-off {
			return end, nil
		}
		if head.Region > head.Size || head.RegionSize > head.Size-head.Region {
			return end, d.errorf(off, "region of %d bytes at %d in a record of %d", head.RegionSize, head.Region, head.Size)
		}
		if err := p.record(d, off, head.Kind); err != nil {
			return end, err
		}
		if off > end {
			p.gaps = append(p.gaps, gap{end, off})
		}
		off += head.Size
		end = off
	}
	return end, nil
}

// isBegun reports whether a place where a record begins has the kind and the size of one that is not finished. So a look at it
// does not have to go on page by page. A table of windows stays so until it is needed.
func isBegun(head *runfile.Head, page, most uint64) bool {
	return head.Magic == 0 && head.Kind != 0 && head.Size != 0 && head.Size%page == 0 && head.Size <= most
}

// record notes where a record has its counts.
func (p *Poller) record(d *decoder, off, kind uint64) error {
	switch kind {
	case runfile.KindPackage:
		return p.packageRecord(d, off)
	case runfile.KindHash:
		var r runfile.HashRecord
		if err := d.fill(off, &r); err != nil {
			return err
		}
		if err := d.checkHash(off, &r); err != nil {
			return err
		}
		p.chunks = append(p.chunks, &polledChunk{hash: r.Hash, record: off, off: off + r.Region, len: r.Entries * runfile.EntrySize})
	case runfile.KindShard:
		shards := d.shards
		err := d.shardRecord(off)
		p.shards = append(p.shards, d.shards[len(shards):]...)
		return err
	case runfile.KindNames:
		p.names = append(p.names, namesAt{off: off})
	case runfile.KindSampling:
		p.Sampled, p.sampling = true, off
	case runfile.KindStream:
		p.Sampled, p.stream = true, off
	case runfile.KindFunctions:
		p.functions = append(p.functions, off)
	case runfile.KindReplicates:
		var r runfile.ReplicateRecord
		if err := d.fill(off, &r); err != nil {
			return err
		}
		if err := d.checkReplicates(off, &r); err != nil {
			return err
		}
		p.windows = append(p.windows, region{off + r.Region, r.Slots * replicateSize})
	case runfile.KindContexts:
		d.tree = p.tree
		err := d.contextRecord(off)
		p.tree, p.grown = d.tree, true
		return err
	default:
		return d.record(off, kind) // labels only
	}
	return nil
}
