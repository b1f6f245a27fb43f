package rundata

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// A Poller reads the counts of a run file again and again while its process writes them. It knows where they are: a
// record's head is read once, and path tables are never decoded. The zero value has read nothing.
type Poller struct {
	// Run has what the header, the labels and the names of values say. Its packages are left out, and all that was sampled but
	// for what Windows says.
	Run Run
	// Sampled tells that some of the counts are no executions, but what estimates are made of.
	Sampled bool
	// Windows tells that all of a sampled run's counts are executions. Run.Replicates then has what windows saw besides, until
	// the next Poll; estimates of paths are made of nothing else. The packages of Replicates have a name and a path table, and
	// no counts. Of other sampled runs only Read has all there is.
	Windows bool
	// Strata tells that all that was sampled are messages of strata, for which Run.Stream says how many events there were.
	Strata bool
	// Packages are what was counted at the last Poll, in the order of their initialisation.
	Packages []Sparse
	// Contexts has Run.Contexts read, too, if ticks have been since the last time. That takes some milliseconds.
	Contexts bool
	// Quick leaves out pages in which nothing was counted when a Poll without Quick read all of them. The next such Poll sees
	// what is counted there. Most of the time of a Poll is that of copying zeros.
	Quick bool
	// Keep, if not nil, returns what is kept of a path table: many runs have the same.
	Keep func(table []byte) []byte

	f        *os.File // during a Poll
	names    []namesAt
	off      uint64 // of the next record
	gaps     []gap  // before it
	packages []polled
	paths    map[string]bool // their import paths
	shards   []shard
	chunks   []*polledChunk
	entries  []Entry // found in a chunk
	buf      []byte
	sum      summer
	used     map[uint64]*used // by offset of the counters

	functions  []uint64    // offsets of function records
	uncounted  []Uncounted // that were read last
	sampling   uint64      // offset of the sampling record; 0 if there is none
	stream     uint64      // offset of the stream record; 0 if there is none
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

// Poll reads what has been counted until now from the run file, which is the same each time. It is ErrEmpty while the
// process is just starting.
func (p *Poller) Poll(f *os.File) error {
	p.f = f
	defer func() { p.f = nil }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if p.paths == nil {
		p.paths = make(map[string]bool)
	}
	d := &decoder{r: f, size: uint64(info.Size()), only: runfile.KindLabels, paths: p.paths}
	d.run.Service, d.run.Attributes, d.run.Root, d.run.Names = p.Run.Service, p.Run.Attributes, p.Run.Root, p.Run.Names
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
	p.Windows = d.run.Sampling != nil && d.run.Sampling.Counted && p.stream == 0
	err = p.read(d)
	if err == nil {
		err = p.readUncounted(d)
	}
	if err == nil {
		err = p.readStream(d)
	}
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

// readNames reads the names of values that are new.
func (p *Poller) readNames(d *decoder) error {
	for i := range p.names {
		if err := d.addNames(&p.names[i]); err != nil {
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
		if err := p.readChunk(d, c); err != nil {
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
	p.sum.grow(s.Size)
	for _, off := range append(shards, pkg.off) {
		if err := p.each(d, off, uint64(s.Size), p.sum.add); err != nil {
			p.sum = summer{}
			return s, err
		}
	}
	s.Counters = p.sum.take()
	return s, nil
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

// readUncounted reads which functions nothing can count. That does not change in the next moment.
func (p *Poller) readUncounted(d *decoder) error {
	if !p.Quick {
		for _, off := range p.functions {
			if err := d.functionRecord(off); err != nil {
				return err
			}
		}
		p.uncounted = d.uncountedBy(p.find)
	}
	d.run.Uncounted = p.uncounted
	return nil
}

// readStream reads the strata, after what was counted as Read does.
func (p *Poller) readStream(d *decoder) error {
	if p.stream == 0 {
		return nil
	}
	if err := d.streamRecord(p.stream); err != nil {
		return err
	}
	p.Strata = d.run.Stream.Rate > 0 && d.run.Sampling == nil
	d.shards = p.shards
	return d.readStrata()
}

// readWindows reads what windows of path ends saw, if that is all there is to estimates.
func (p *Poller) readWindows() error {
	if !p.Windows {
		return nil
	}
	p.replicates = p.replicates[:0]
	controls := make(map[uint64]*Control)
	for _, r := range p.windows {
		b, err := p.bytes(r.off, r.size)
		if err != nil {
			return err
		}
		for ; len(b) > 0; b = b[replicateSize:] {
			w := decodeReplicate(b)
			if w.At == 0 || addControl(controls, &w) {
				continue
			}
			if of, ok := p.find(w.At, w.Path); ok {
				p.replicates = append(p.replicates, replicateOf(of, &w))
			}
		}
	}
	p.Run.Replicates, p.Run.Controls = p.replicates, knownControls(controls)
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
