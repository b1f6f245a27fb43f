package rundata

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// A Sparse is what one package has counted, without what is 0.
type Sparse struct {
	Path     string // import path
	Table    []byte // path table, as it was given to rt.Register
	Size     int    // number of counters
	Counters []Entry
	Hashes   [][]Entry // by hash table; nil if nothing was counted in it
}

// An Entry is a count that is not 0, of the counter or path At. Lists of them are sorted by At.
type Entry struct{ At, N uint64 }

// Dense returns the package as Read returns it.
func (s *Sparse) Dense() *Package {
	p := &Package{Path: s.Path, Table: s.Table, Counters: make([]uint64, s.Size), Hashes: make([]map[uint64]uint64, len(s.Hashes))}
	for _, e := range s.Counters {
		p.Counters[e.At] = e.N
	}
	for i, list := range s.Hashes {
		if list == nil {
			continue
		}
		p.Hashes[i] = make(map[uint64]uint64, len(list))
		for _, e := range list {
			p.Hashes[i][e.At] = e.N
		}
	}
	return p
}

// Sparse returns what p has counted.
func (p *Package) Sparse() Sparse {
	s := Sparse{Path: p.Path, Table: p.Table, Size: len(p.Counters), Hashes: make([][]Entry, len(p.Hashes))}
	for i, n := range p.Counters {
		if n != 0 {
			s.Counters = append(s.Counters, Entry{uint64(i), n})
		}
	}
	for i, m := range p.Hashes {
		s.Hashes[i] = Entries(m)
	}
	return s
}

// Entries returns what a hash table has counted, nil if it is nothing.
func Entries(hash map[uint64]uint64) (list []Entry) {
	for key, n := range hash {
		if n != 0 {
			list = append(list, Entry{key, n})
		}
	}
	SortEntries(list)
	return list
}

// SortEntries sorts counts by what they are of.
func SortEntries(list []Entry) {
	slices.SortFunc(list, func(a, b Entry) int { return cmp.Compare(a.At, b.At) })
}

// A Poller reads the counts of a run file again and again while its process writes them. It knows where they are: a
// record's head is read once, and path tables are never decoded. The zero value has read nothing.
type Poller struct {
	// Run has what the header, the labels and the names of values say. Its packages are left out, and all that was sampled but
	// for what Windows says.
	Run Run
	// Sampled tells that some of the counts are no executions, but what estimates are made of.
	Sampled bool
	// Windows tells that all of a sampled run's counts are executions, and that Run.Replicates has what windows saw besides,
	// which is all that estimates of paths are made of, until the next Poll. Their packages have a name and a path table, and no
	// counts. Of other sampled runs only Read has all there is.
	Windows bool
	// Packages are what was counted at the last Poll, in the order of their initialisation.
	Packages []Sparse
	// Contexts has Run.Contexts read, too, if ticks have been since the last time. That takes some milliseconds.
	Contexts bool
	// Keep, if not nil, returns what is kept of a path table: many runs have the same.
	Keep func(table []byte) []byte

	f        *os.File // during a Poll
	names    []uint64 // offsets of records with names
	off      uint64   // of the next record
	gaps     []gap    // before it
	packages []polled
	shards   []shard
	chunks   []polledChunk
	buf      []byte
	sum      []uint64

	sampling   uint64      // offset of the sampling record; 0 if there is none
	stream     bool        // there is a stream record
	windows    []region    // of replicate records
	replicates []Replicate // that were read last
	found      map[uint64]PathAt
	tree       []uint64  // chunks of the context tree, as decoder has them
	grown      bool      // there are more of them than contexts was read of
	contexts   *Contexts // what was read of them last
	ticks      uint64    // until then
}

// A region is where a record has its table.
type region struct{ off, size uint64 }

// A polled package is where its counters are.
type polled struct {
	Sparse
	off      uint64 // of counter 0 in the file
	address  uint64 // of counter 0 in the process
	hashAddr uint64 // of Hash 0 in the process
	named    *Package
}

// A polledChunk is where entries of a hash table are.
type polledChunk struct {
	hash     uint64 // address of the Hash
	off, len uint64 // in the file, bytes
}

// Poll reads what has been counted until now from the run file, which is the same each time. It is ErrEmpty while the process is just
// starting.
func (p *Poller) Poll(f *os.File) error {
	p.f = f
	defer func() { p.f = nil }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	d := &decoder{r: f, size: uint64(info.Size()), only: runfile.KindLabels}
	d.run.Service, d.run.Attributes, d.run.Root = p.Run.Service, p.Run.Attributes, p.Run.Root
	d.data = extents(f, d.size)
	if err := d.header(); err != nil {
		return p.named(err)
	}
	if p.off == 0 {
		p.off = d.page
	}
	if err := p.scan(d); err != nil {
		return p.named(err)
	}
	if p.sampling != 0 {
		if err := d.samplingRecord(p.sampling); err != nil {
			return p.named(err)
		}
	}
	p.Windows = d.run.Sampling != nil && d.run.Sampling.Counted && !p.stream
	err = p.read(d)
	if err == nil {
		err = p.readNames(d) // after the counts: a value is counted, and then it gets its name
	}
	p.Run = d.run
	p.Run.Name = f.Name()
	if err == nil {
		err = p.readWindows()
	}
	if err == nil {
		err = p.readContexts(d)
	}
	return p.named(err)
}

func (p *Poller) named(err error) error {
	if err == nil || errors.Is(err, ErrEmpty) {
		return err
	}
	return fmt.Errorf("%s: %w", p.f.Name(), err)
}

// A gap is where records are that are not finished, or never will be: two threads may grow one Hash at once, and tables of
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
			p.gaps = append(p.gaps, open[i:]...)
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
		p.chunks = append(p.chunks, polledChunk{r.Hash, off + r.Region, r.Entries * runfile.EntrySize})
	case runfile.KindShard:
		shards := d.shards
		err := d.shardRecord(off)
		p.shards = append(p.shards, d.shards[len(shards):]...)
		return err
	case runfile.KindNames:
		p.names = append(p.names, off)
	case runfile.KindSampling:
		p.Sampled, p.sampling = true, off
	case runfile.KindStream:
		p.Sampled, p.stream = true, true
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

// readNames reads the names of values. All of them take 4 MiB at most, and one chunk of 64 KiB in most programs that have any.
func (p *Poller) readNames(d *decoder) error {
	for _, off := range p.names {
		if err := d.namesRecord(off); err != nil {
			return err
		}
	}
	return nil
}

func (p *Poller) packageRecord(d *decoder, off uint64) error {
	at, err := d.packageAt(off)
	if err != nil {
		return err
	}
	if p.Keep != nil {
		at.table = p.Keep(at.table)
	}
	d.run.Root = cmp.Or(d.run.Root, at.root)
	s := Sparse{Path: at.path, Table: at.table, Size: int(at.n), Hashes: make([][]Entry, at.hashes)}
	p.packages = append(p.packages, polled{
		Sparse: s, off: at.counters, address: at.address, hashAddr: at.hash, named: &Package{Path: at.path, Table: at.table},
	})
	return nil
}

// read reads the counts of all packages.
func (p *Poller) read(d *decoder) error {
	p.Packages = make([]Sparse, len(p.packages))
	for i := range p.packages {
		s, err := p.counters(d, &p.packages[i])
		if err != nil {
			return err
		}
		p.Packages[i] = s
	}
	for _, c := range p.chunks {
		if err := p.hash(d, c); err != nil {
			return err
		}
	}
	return nil
}

// counters reads the counters of a package, and adds those of its shards.
func (p *Poller) counters(d *decoder, pkg *polled) (s Sparse, err error) {
	s = pkg.Sparse
	s.Hashes = make([][]Entry, len(pkg.Hashes))
	var shards []uint64 // where the package's counters are in them
	for _, sh := range p.shards {
		at := pkg.address - sh.address
		if pkg.address >= sh.address && at <= sh.size && uint64(s.Size) <= (sh.size-at)/8 {
			shards = append(shards, sh.off+at)
		}
	}
	if len(shards) == 0 {
		err = p.each(d, pkg.off, uint64(s.Size), func(i, n uint64) { s.Counters = append(s.Counters, Entry{i, n}) })
		return s, err
	}
	p.sum = slices.Grow(p.sum[:0], s.Size)[:s.Size]
	clear(p.sum)
	for _, off := range append(shards, pkg.off) {
		if err := p.each(d, off, uint64(s.Size), func(i, n uint64) { p.sum[i] += n }); err != nil {
			return s, err
		}
	}
	for i, n := range p.sum {
		if n != 0 {
			s.Counters = append(s.Counters, Entry{uint64(i), n})
		}
	}
	return s, nil
}

// each calls do for all of n counters at off that are not 0. It reads into a buffer that it keeps.
func (p *Poller) each(d *decoder, off, n uint64, do func(i, count uint64)) error {
	for _, e := range d.dataFrom(off) {
		from, to := max(e.from, off), min(e.to, off+n*8)
		if from >= to {
			break
		}
		for from = off + (from-off)&^7; from < to; {
			size := min(chunkSize, (to-from+7)&^7, off+n*8-from)
			p.buf = slices.Grow(p.buf[:0], int(size))[:size]
			if got, err := p.f.ReadAt(p.buf, int64(from)); got < len(p.buf) {
				return fmt.Errorf("run file: %d bytes at offset %#x: %w", size, from, err)
			}
			first := (from - off) / 8
			eachInUse(p.buf, func(i, w uint64) { do(first+i, w) })
			from += size
		}
	}
	return nil
}

// eachInUse calls do for the words that are not 0. Most are, so it looks at eight at a time: that takes half of the time.
func eachInUse(b []byte, do func(i, w uint64)) {
	at := 0
	for ; at+64 <= len(b); at += 64 {
		eight := (*[64]byte)(b[at:])
		word := func(i int) uint64 { return binary.LittleEndian.Uint64(eight[i:]) }
		if word(0)|word(8)|word(16)|word(24)|word(32)|word(40)|word(48)|word(56) == 0 {
			continue
		}
		for i := 0; i < 64; i += 8 {
			if w := word(i); w != 0 {
				do(uint64(at+i)/8, w)
			}
		}
	}
	for ; at+8 <= len(b); at += 8 {
		if w := binary.LittleEndian.Uint64(b[at:]); w != 0 {
			do(uint64(at)/8, w)
		}
	}
}

// hash adds the entries of a chunk to those of its hash table. Chunks of packages that are not registered yet are of none.
func (p *Poller) hash(d *decoder, c polledChunk) error {
	for i := range p.packages {
		pkg := &p.packages[i]
		at := (c.hash - pkg.hashAddr) / runfile.HashSize
		if c.hash < pkg.hashAddr || at >= uint64(len(pkg.Hashes)) {
			continue
		}
		counts := make(map[uint64]uint64)
		for _, e := range p.Packages[i].Hashes[at] {
			counts[e.At] = e.N
		}
		err := d.eachWords(c.off, c.len, func(_ uint64, words []uint64) {
			for j := 0; j+1 < len(words); j += 2 {
				if words[j] != 0 && words[j+1] != 0 { // neither free, nor claimed and not counted yet
					counts[words[j]-1] += words[j+1]
				}
			}
		})
		list := make([]Entry, 0, len(counts))
		for key, n := range counts {
			list = append(list, Entry{key, n})
		}
		SortEntries(list)
		if len(list) > 0 {
			p.Packages[i].Hashes[at] = list
		}
		return err
	}
	return nil
}

// readWindows reads what windows of path ends saw, if that is all there is to estimates.
func (p *Poller) readWindows() error {
	if !p.Windows {
		return nil
	}
	p.replicates = p.replicates[:0]
	for _, r := range p.windows {
		p.buf = slices.Grow(p.buf[:0], int(r.size))[:r.size]
		if got, err := p.f.ReadAt(p.buf, int64(r.off)); got < len(p.buf) {
			return fmt.Errorf("run file: %d bytes at offset %#x: %w", r.size, r.off, err)
		}
		for at := 0; at < len(p.buf); at += replicateSize {
			w := decodeReplicate(p.buf[at : at+replicateSize])
			if w.At == 0 {
				continue
			}
			if of, ok := p.find(w.At, w.Path); ok {
				p.replicates = append(p.replicates, replicateOf(of, &w))
			}
		}
	}
	p.Run.Replicates = p.replicates
	return nil
}

// readContexts reads the context tree, if that is wanted. It changes at ticks only. A chunk may become known after the last tick:
// ticks are read after the records.
func (p *Poller) readContexts(d *decoder) error {
	if !p.Contexts || len(p.tree) == 0 || p.Run.Sampling == nil {
		return nil
	}
	if p.grown || p.contexts == nil || p.ticks != p.Run.Sampling.Ticks {
		d.tree = p.tree
		tree, err := d.readTree()
		if err != nil {
			return fmt.Errorf("run file: %w", err)
		}
		p.contexts, p.ticks, p.grown = d.contextsOf(tree, p.find), p.Run.Sampling.Ticks, false
	}
	p.Run.Contexts = p.contexts
	return nil
}

// find is findPath, which is asked for the same paths each time.
func (p *Poller) find(at, number uint64) (PathAt, bool) {
	known, ok := p.found[at]
	if !ok {
		for i := range p.packages {
			pkg := &p.packages[i]
			if path, in := pathIn(at, pkg.address, uint64(pkg.Size), pkg.hashAddr, uint64(len(pkg.Hashes))); in {
				path.Package = pkg.named
				known, ok = path, true
				break
			}
		}
		if !ok {
			return PathAt{}, false // its package is not registered yet
		}
		if p.found == nil {
			p.found = make(map[uint64]PathAt)
		}
		p.found[at] = known
	}
	if known.Hash >= 0 {
		known.Number = number
	}
	return known, true
}
