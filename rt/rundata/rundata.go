// Package rundata reads run files: what one run of an instrumented program has
// counted. The format is drawn in rt/runfile/format.go.
//
// A file may be read while its process still runs, and after the process was
// killed at any moment. Records that are whole are returned; records that are
// half-made or cut off are left out. A record that contradicts itself is an
// error.
package rundata

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/bits"
	"slices"
	"time"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/sampler"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// A Run is what one process has recorded.
type Run struct {
	Name  string // of the file, if it was read by ReadFile
	Pid   int
	Start time.Time
	Args  []string // command line, possibly cut off; empty if the file was written at exit, or GOPROFINSTR_ARGS=0 had it left out
	Exit  Exit     // 0 if the file was written at exit
	Alive bool     // the process lived when the file was read by ReadFile; on Linux and macOS

	Root string // folder that names of files in path tables were relative to when the program was built, or ""

	Service    string // that the process is of, as in OTEL_SERVICE_NAME
	Attributes string // what else is known of it, as in OTEL_RESOURCE_ATTRIBUTES

	Identity uint64 // of the test binary; 0 without one, or if the file was written at exit
	Log      []byte // what package testing has noted of what the tests look at, if they have passed

	// Lost is the number of executions that were not counted because a hash
	// table could not grow (full disk, too many paths in one function).
	Lost     uint64
	Packages []*Package // in the order of their initialisation
	Sampling *Sampling  // nil if there was no sampling by ticks
	Stream   *Stream    // nil if no events were sampled in strata
	Contexts *Contexts  // nil if none were recorded
	Sites    []Site     // of native probes, by address
	Tests    []*Test    // nil if they were not told apart

	// Sampled are path 0 of functions with portable probes that were sampled some time, and not only counted.
	Sampled []PathAt

	// Uncounted are functions that nothing can count.
	Uncounted []Uncounted

	// Replicates are what path ends in windows stand for, if the sampling is Counted.
	Replicates []Replicate
	// Controls are what windows saw of what is known besides paths.
	Controls []Control

	// Names are those of values in Hashes that are functions or strings.
	Names map[uint64]Name
}

// RootOf returns the root that runs were told of: the least, if programs were built in several.
func RootOf(runs []*Run) (root string) {
	for _, r := range runs {
		root = LeastRoot(root, r.Root)
	}
	return root
}

// LeastRoot returns the lesser of two roots of which either may be "". The order in which runs are read does not matter so.
func LeastRoot(a, b string) string {
	if a == "" || b == "" {
		return cmp.Or(a, b)
	}
	return min(a, b)
}

// Exit tells how a process left: 0 if it has not, or not by itself.
type Exit uint64

const (
	ExitMain  Exit = runfile.ExitMain  // by a return from main, or by os.Exit in the main goroutine
	ExitOther Exit = runfile.ExitOther // by os.Exit in another goroutine, as of a test
)

// Contexts is the calling context tree of a run.
type Contexts struct {
	Nodes []pcct.Node // parents come before their children
	Paths []ContextPath
	Bytes int // of the file that all of it takes, unused ones included
}

// A PathAt is where a path has its estimate.
type PathAt struct {
	Package *Package
	Hash    int    // hash table that has the path, or -1
	Number  uint64 // of the path in the hash table, or of the pair of counters
}

// A ContextPath is what was seen of a path in a calling context.
type ContextPath struct {
	Node int // index in Nodes, or -1 if the context is not known any more
	PathAt
	Estimate uint64        // of its executions, in units of runfile.SampleUnit
	Samples  uint64        // that the estimate is made of
	Time     time.Duration // CPU time spent on it
}

// A Site is a copy of a marker in the text of the program.
type Site struct {
	Address  uint64
	Marker   PathAt       // path 0 of the path register, if Register
	Register bool         // which path it is the path register tells
	Sampled  bool         // it was sampled, some time, and not only counted
	Frames   []pcct.Frame // functions that are there, innermost first: all but the last are inlined. nil if they are not known

	Estimate uint64 // of the paths that ended there, in units of runfile.SampleUnit
	Samples  uint64 // that the estimate is made of
	Last     PathAt // path of the last sample, if there are Samples
}

// Sampling is how a run sampled its paths. Times are CPU time of the process.
type Sampling struct {
	Policy   sampler.Policy
	Burst    uint64        // samples of a burst in the end: less than the policy's to save costs
	Period   time.Duration // between ticks, in the end
	Ticks    uint64
	Overruns uint64        // ticks that were lost: they came too soon after others, or in threads that Go knows nothing of
	CPU      time.Duration // that the samples stand for
	Cost     time.Duration // of it, what sampling took
	Ends     uint64        // path ends seen
	Samples  uint64

	Contexts  uint64        // calling contexts found, of ticks and of path ends
	Frames    uint64        // of their stacks
	NewFrames uint64        // of these, that were not known from the last stack
	Truncated uint64        // contexts whose outermost frames were not reached
	PathTime  time.Duration // CPU time that was spent on known paths
	Cut       uint64        // contexts that are known in part only, since there was no room in the tree
	Folded    uint64        // nodes and paths of the tree that have been folded, to make room

	Sites uint64 // native probes in the program; 0 if its probes are portable
	Left  uint64 // probes that the compiler made something else of, and that never fire

	// Counted tells that paths were counted where they rarely end, and sampled in windows elsewhere. Counters are pairs, the
	// first of which is a number of executions. So is what Hashes have. Estimates of the others are in Replicates.
	Counted     bool
	CountedAll  bool   // and until the process exited by itself
	CountedEnds uint64 // path ends that were counted
	Windows     uint64

	// Off is how far off all estimates may be together, as the standard deviation of a logarithm. It is for runs that were
	// handed on, where nothing but samples is known of estimates. No run file has it.
	Off float64
}

// A Replicate is what path ends in windows of a group stand for.
type Replicate struct {
	PathAt
	Of      int // level of the site that they were at, then; 0: they were counted, too, and are no part of the estimate
	Level   int // of the windows
	Density int // logarithm of how many path ends there were in 1024 ns
	Samples uint64
	Sum     [runfile.Replicates]uint64 // in units of runfile.SampleUnit: window n is in part n modulo their number
}

// A Control is a function whose activations were all counted.
type Control struct {
	Exact uint64      // activations
	Seen  []Replicate // of these, of no path; none if no window has seen any
}

// A Package is what one instrumented package has recorded.
type Package struct {
	Path     string   // import path
	Table    []byte   // path table, as it was given to rt.Register
	Counters []uint64 // without padding
	// Hashes has the counts of each hash table, by path number. A table in
	// which nothing was counted is nil. Where paths are sampled, rt/runfile/format.go says what these numbers are.
	Hashes []map[uint64]uint64
}

// Oldest is the oldest version of run files that is read; runfile.Version is the newest.
const Oldest = 1

// ErrEmpty is returned for the file of a process that died before it had
// written the header.
var ErrEmpty = errors.New("run file without a header: its process died while it started")

// A VersionError is the error for a run file whose format is of a version that is not read.
type VersionError struct{ Version uint64 }

func (e *VersionError) Error() string {
	return fmt.Sprintf("run file of version %d; this goprofinstr reads versions %d to %d", e.Version, Oldest, runfile.Version)
}

// maxHashes is the most hash tables that the packages of one run may have. So a lying header cannot ask for more than
// 8 MiB of them.
const maxHashes = 1 << 20

// maxPage is the largest page size believed. Linux has up to 64 KiB.
const maxPage = 1 << 20

// ReadFile reads the run file of the given name. Its errors name the file.
func ReadFile(name string) (*Run, error) {
	f, size, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	run, err := Read(f, size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	run.Name = name
	run.Alive, _ = Locked(f)
	return run, nil
}

// Read reads a run file of size bytes.
func Read(r io.ReaderAt, size int64) (*Run, error) {
	d := &decoder{
		r: r, size: uint64(max(size, 0)),
		hashAddr: make(map[*Package]uint64), address: make(map[*Package]uint64), paths: make(map[string]bool),
	}
	d.data = extents(r, d.size)
	if err := d.header(); err != nil {
		return nil, err
	}
	if err := d.records(); err != nil {
		return nil, err
	}
	if err := d.assignChunks(); err != nil {
		return nil, err
	}
	if err := d.addShards(); err != nil {
		return nil, err
	}
	if err := d.readStrata(); err != nil {
		return nil, err
	}
	if err := d.readContexts(); err != nil {
		return nil, err
	}
	if err := d.readTests(); err != nil {
		return nil, err
	}
	d.readSites()
	d.readFunctions()
	d.readReplicates()
	return &d.run, nil
}

type decoder struct {
	r    io.ReaderAt
	size uint64 // of the file
	page uint64
	only uint64 // kind of records to be read; 0: all

	data    []extent // of the file: what is no hole
	taken   uint64   // of mostMemory
	counted uint64   // bytes of counters in shards that have been read

	run       Run
	chunks    []hashChunk
	shards    []shard
	strata    strataAt
	parts     []testPart // of the stream of tests
	tree      []uint64   // where the chunks of the context tree are, by number; 0 if there is none
	sites     []runfile.Site
	sampled   []uint64 // functions
	uncounted []uncounted
	windows   []runfile.Replicate
	locations map[pcct.Ref][]pcct.Frame // of the context tree
	hashAddr  map[*Package]uint64       // address of Hash 0 in the process
	address   map[*Package]uint64       // address of counter 0 in the process
	hashes    uint64                    // of all packages
	paths     map[string]bool           // import paths of packages that have a record
}

// A hashChunk is one hash record, whose package may come later in the file.
type hashChunk struct {
	off     uint64   // of the record, for errors
	hash    uint64   // address of its Hash
	entries []uint64 // those in use: key and count
}

// A shard is one shard record.
type shard struct {
	address   uint64 // that its region's beginning stands for
	off, size uint64 // of the region
}

func (d *decoder) header() error {
	if d.size < runfile.MinPage {
		if d.size == 0 {
			return ErrEmpty
		}
		return fmt.Errorf("run file of %d bytes: shorter than a header", d.size)
	}
	var h runfile.Header
	if err := d.fill(0, &h); err != nil {
		return err
	}
	switch {
	case h.Magic == 0:
		return ErrEmpty
	case h.Magic != runfile.RunMagic:
		return errors.New("not a run file")
	case h.Version < Oldest || h.Version > runfile.Version:
		return &VersionError{h.Version}
	}
	d.page = h.Page
	if d.page < runfile.MinPage || d.page > maxPage || d.page&(d.page-1) != 0 {
		return fmt.Errorf("run file header: page size %d", d.page)
	}
	exit, err := d.words(runfile.ExitAt(d.page), 1)
	if err != nil {
		return err
	}
	d.run.Exit = Exit(exit[0])
	if h.ArgsLen <= runfile.IdentityAt(d.page)-runfile.HeaderSize { // else the command line goes on to there: an older file
		identity, err := d.words(runfile.IdentityAt(d.page), 1)
		if err != nil {
			return err
		}
		d.run.Identity = identity[0]
	}
	if h.ArgsLen > d.page-runfile.HeaderSize {
		return fmt.Errorf("run file header: command line of %d bytes in a page of %d", h.ArgsLen, d.page)
	}
	if h.ArgsLen > 0 {
		args, err := d.bytes(runfile.HeaderSize, h.ArgsLen)
		if err != nil {
			return err
		}
		for arg := range bytes.SplitSeq(bytes.TrimSuffix(args, []byte{0}), []byte{0}) {
			d.run.Args = append(d.run.Args, string(arg))
		}
	}
	d.run.Pid = int(h.Pid)
	d.run.Start = time.Unix(0, int64(h.Start))
	d.run.Lost = h.Lost
	return nil
}

// records reads the records from the second page on. It returns at the end of
// the file or at a record that is cut off.
func (d *decoder) records() error {
	halfMade := 0 // pages of a record without a magic
	for off := d.page; d.size-min(off, d.size) >= d.page; {
		var head runfile.Head
		if err := d.fill(off, &head); err != nil {
			return err
		}
		if head.Magic != runfile.RecordMagic {
			if halfMade == 0 && !isPart(head.Magic, runfile.RecordMagic) {
				return d.errorf(off, "no record begins here")
			}
			halfMade++
			var err error
			if off, err = d.skip(off, halfMade); err != nil {
				return err
			}
			continue
		}
		halfMade = 0
		if head.Size == 0 || head.Size%d.page != 0 {
			return d.errorf(off, "size %d is not whole pages of %d bytes", head.Size, d.page)
		}
		if head.Size > d.size-off {
			return nil // cut off
		}
		if head.Region > head.Size || head.RegionSize > head.Size-head.Region {
			return d.errorf(off, "region of %d bytes at %d in a record of %d", head.RegionSize, head.Region, head.Size)
		}
		if err := d.record(off, head.Kind); err != nil {
			return err
		}
		off += head.Size
	}
	return nil
}

// isPart reports whether a word may be a magic that was being written, byte by byte, when the file was copied.
// os.ReadFile reads one byte more than there were, and what comes behind it later. So a record may have begun in between.
func isPart(word, magic uint64) bool {
	for ; word != 0; word, magic = word>>8, magic>>8 {
		if b := byte(word); b != 0 && b != byte(magic) {
			return false
		}
	}
	return true
}

// record reads a record of some kind, whose head is right.
func (d *decoder) record(off, kind uint64) error {
	if d.only != 0 && kind != d.only {
		return nil
	}
	switch kind {
	case runfile.KindPackage:
		return d.packageRecord(off)
	case runfile.KindHash:
		return d.hashRecord(off)
	case runfile.KindShard:
		return d.shardRecord(off)
	case runfile.KindSampling:
		return d.samplingRecord(off)
	case runfile.KindContexts:
		return d.contextRecord(off)
	case runfile.KindSites:
		return d.siteRecord(off)
	case runfile.KindTests:
		return d.testRecord(off)
	case runfile.KindStream:
		return d.streamRecord(off)
	case runfile.KindNames:
		return d.namesRecord(off)
	case runfile.KindFunctions:
		return d.functionRecord(off)
	case runfile.KindReplicates:
		return d.replicateRecord(off)
	case runfile.KindLabels:
		return d.labelRecord(off)
	case runfile.KindLog:
		return d.logRecord(off)
	case runfile.KindAudit: // for Follow
		return nil
	}
	return d.errorf(off, "unknown kind %d", kind)
}

func (d *decoder) logRecord(off uint64) error {
	var r runfile.LogRecord
	if err := d.fill(off, &r); err != nil {
		return err
	}
	head := uint64(binary.Size(r))
	if r.Length > r.Size-min(r.Size, head) {
		return d.errorf(off, "log of %d bytes in a record of %d", r.Length, r.Size)
	}
	var err error
	d.run.Log, err = d.hold(off+head, r.Length)
	return err
}

func (d *decoder) shardRecord(off uint64) error {
	var r runfile.ShardRecord
	if err := d.fill(off, &r); err != nil {
		return err
	}
	d.shards = append(d.shards, shard{r.Address, off + r.Region, r.RegionSize})
	return nil
}

func (d *decoder) packageRecord(off uint64) error {
	at, err := d.packageAt(off)
	if err != nil {
		return err
	}
	p := &Package{Path: at.path, Table: at.table, Hashes: make([]map[uint64]uint64, at.hashes)}
	if p.Counters, err = d.counters(at.counters, at.n); err != nil {
		return err
	}
	if at.known {
		d.address[p] = at.address
	}
	d.run.Root = cmp.Or(d.run.Root, at.root)
	d.run.Packages = append(d.run.Packages, p)
	d.hashAddr[p] = at.hash
	return nil
}

// A packageAt is what the head of a package record says.
type packageAt struct {
	path        string
	table       []byte
	root        string
	counters, n uint64 // where they are in the file, and how many
	address     uint64 // of counter 0 in the process, if known
	known       bool
	hashes      uint64
	hash        uint64 // address of Hash 0 in the process
}

// packageAt reads the head of a package record.
func (d *decoder) packageAt(off uint64) (at packageAt, err error) {
	var r runfile.PackageRecord
	if err := d.fill(off, &r); err != nil {
		return at, err
	}
	head := uint64(binary.Size(r))
	region, regionSize := r.Region, r.RegionSize
	pathLen, tableLen := r.PathLen, r.TableLen
	if room := region - min(region, head); pathLen == 0 || pathLen > room || tableLen > room-pathLen {
		return at, d.errorf(off, "import path of %d bytes and path table of %d before a region at %d", pathLen, tableLen, region)
	}
	first, n := r.First, r.Counters
	if first%8 != 0 || first > regionSize || n > (regionSize-first)/8 {
		return at, d.errorf(off, "%d counters at %d in a region of %d bytes", n, first, regionSize)
	}
	if n > mostMemory/8 {
		return at, d.errorf(off, "%d counters: a package has at most %d", n, mostMemory/8)
	}
	hashes := r.Hashes
	if hashes > maxHashes-d.hashes {
		return at, d.errorf(off, "%d hash tables: a run has at most %d", hashes, maxHashes)
	}
	d.hashes += hashes

	text, err := d.hold(off+head, pathLen+tableLen)
	if err != nil {
		return at, err
	}
	at = packageAt{path: string(text[:pathLen]), table: text[pathLen:], counters: off + region + first, n: n, hashes: hashes, hash: r.Hash}
	if pathLen+tableLen+8 <= region-head {
		address, err := d.words(off+region-8, 1)
		if err != nil {
			return at, err
		}
		at.address, at.known = address[0]+first, true
	}
	if at.root, err = d.root(off+head+pathLen+tableLen, off+region); err != nil {
		return at, err
	}
	if d.paths[at.path] {
		return at, d.errorf(off, "package %s has a record already", at.path)
	}
	d.paths[at.path] = true
	return at, nil
}

// mostRoot bounds the length of the name of a folder. Linux has up to 4095 bytes.
const mostRoot = 4096

// root reads the root that is behind the path table of a package record, before its region, or returns "" if there is none.
func (d *decoder) root(off, region uint64) (string, error) {
	if region-off < 16 {
		return "", nil
	}
	length, err := d.words(region-16, 1)
	if err != nil || length[0] == 0 || length[0] > min(mostRoot, region-16-off) {
		return "", err
	}
	text, err := d.bytes(off, length[0])
	return string(text), err
}

// checkHash checks the head of a hash record.
func (d *decoder) checkHash(off uint64, r *runfile.HashRecord) error {
	if r.Region < uint64(binary.Size(*r)) || r.Region%8 != 0 || r.Entries > r.RegionSize/runfile.EntrySize {
		return d.errorf(off, "%d entries in a region of %d bytes at %d", r.Entries, r.RegionSize, r.Region)
	}
	return nil
}

func (d *decoder) hashRecord(off uint64) error {
	var r runfile.HashRecord
	if err := d.fill(off, &r); err != nil {
		return err
	}
	if err := d.checkHash(off, &r); err != nil {
		return err
	}
	c := hashChunk{off: off, hash: r.Hash}
	err := d.eachWords(off+r.Region, r.Entries*runfile.EntrySize, func(_ uint64, words []uint64) {
		for i := 0; i+1 < len(words); i += 2 {
			if words[i] != 0 && words[i+1] != 0 { // neither free, nor claimed and not counted yet
				c.entries = append(c.entries, words[i], words[i+1])
			}
		}
	})
	d.chunks = append(d.chunks, c)
	return err
}

func (d *decoder) samplingRecord(off uint64) error {
	var r runfile.SamplingRecord
	if err := d.fill(off, &r); err != nil {
		return err
	}
	if r.Stride == 0 || r.Samples == 0 {
		return d.errorf(off, "%d samples with stride %d", r.Samples, r.Stride)
	}
	d.run.Sampling = &Sampling{
		Policy:   sampler.Policy{Kind: sampler.PolicyKind(r.Policy), Samples: r.Samples, Stride: r.Stride},
		Burst:    r.Burst,
		Period:   time.Duration(r.Period),
		Ticks:    r.Ticks,
		Overruns: r.Overruns,
		CPU:      time.Duration(r.CPU),
		Cost:     time.Duration(r.Cost),
		Ends:     r.Ends,
		Samples:  r.Taken,

		Contexts:  r.Contexts,
		Frames:    r.Frames,
		NewFrames: r.NewFrames,
		Truncated: r.Truncated,
		PathTime:  time.Duration(r.Matched),
		Cut:       r.Cut,
		Folded:    r.Folded,

		Sites: r.Sites,
		Left:  r.Left,

		Counted:     r.Counted != 0,
		CountedAll:  r.Counted == runfile.CountedAll,
		CountedEnds: r.CountedEnds,
		Windows:     r.Windows,
	}
	return nil
}

func (d *decoder) contextRecord(off uint64) error {
	var r runfile.ContextRecord
	if err := d.fill(off, &r); err != nil {
		return err
	}
	if r.Chunk >= pcct.MostChunks || r.RegionSize != pcct.ChunkWords*8 || r.Region != 0 {
		return d.errorf(off, "chunk %d of a context tree, of %d bytes", r.Chunk, r.RegionSize)
	}
	for uint64(len(d.tree)) <= r.Chunk {
		d.tree = append(d.tree, 0)
	}
	d.tree[r.Chunk] = off
	return nil
}

// readContexts reads the context tree, and finds out what paths there are in it. Paths of packages that had not
// been registered yet when the process was killed are left out.
func (d *decoder) readContexts() error {
	if d.tree == nil {
		return nil
	}
	tree, err := d.readTree()
	if err != nil {
		return fmt.Errorf("run file: %w", err)
	}
	d.run.Contexts = d.contextsOf(tree, d.findPath)
	d.locations = tree.Locations
	return nil
}

// contextsOf returns what a tree has, given who knows the paths.
func (d *decoder) contextsOf(tree *pcct.Contexts, find func(at, number uint64) (PathAt, bool)) *Contexts {
	c := &Contexts{Nodes: tree.Nodes, Bytes: len(d.tree) * pcct.ChunkWords * 8}
	for _, p := range tree.Paths {
		if at, ok := find(p.At, p.Number); ok {
			c.Paths = append(c.Paths, ContextPath{p.Node, at, p.Estimate, p.Samples, time.Duration(p.Time)})
		}
	}
	return c
}

// mostReadings is how often the tree of a running process is read at most, until it has not changed meanwhile. It changes at
// ticks only, and is read in a millisecond unless the machine is busy.
const mostReadings = 100

// readTree reads the chunks of the context tree.
func (d *decoder) readTree() (*pcct.Contexts, error) {
	for reading := 1; ; reading++ {
		before, err := d.treeChanges()
		if err != nil {
			return nil, err
		}
		chunks, err := d.readChunks()
		if err != nil {
			return nil, err
		}
		after, err := d.treeChanges()
		if err != nil {
			return nil, err
		}
		if before == after || reading == mostReadings {
			return pcct.Read(chunks())
		}
	}
}

// treeChanges returns how often entries of the tree have become free or been used again.
func (d *decoder) treeChanges() (uint64, error) {
	if d.tree[0] == 0 {
		return 0, nil
	}
	var r runfile.ContextRecord
	err := d.fill(d.tree[0], &r)
	return r.Changes, err
}

// readChunks reads the chunks, which the result decodes: that takes longer.
func (d *decoder) readChunks() (decoded func() [][]uint64, err error) {
	raw := make([][]byte, len(d.tree))
	for i, off := range slices.Backward(d.tree) { // entries refer to earlier ones, of which a running process may just have made more
		if off == 0 {
			continue
		}
		if raw[i], err = d.bytes(off, pcct.ChunkWords*8); err != nil {
			return nil, err
		}
	}
	return func() [][]uint64 {
		chunks := make([][]uint64, len(raw))
		for i, b := range raw {
			chunks[i] = decodeWords(b)
		}
		return chunks
	}, nil
}

// findPath finds the package that has the path of which a probe noted at and number.
func (d *decoder) findPath(at, number uint64) (path PathAt, ok bool) {
	for _, p := range d.run.Packages {
		if path, ok := pathIn(at, d.address[p], uint64(len(p.Counters)), d.hashAddr[p], uint64(len(p.Hashes))); ok {
			if path.Package = p; path.Hash >= 0 {
				path.Number = number
			}
			return path, true
		}
	}
	return PathAt{}, false
}

// pathIn returns which path of a package a probe noted at for. The package has its counters and Hashes at addresses in
// the process, and so many of them. If it is one of a Hash, the probe noted its number, too.
func pathIn(at, address, counters, hashAddr, hashes uint64) (path PathAt, ok bool) {
	if at&1 != 0 {
		i := (at - 1 - hashAddr) / runfile.HashSize
		return PathAt{Hash: int(i)}, at > hashAddr && i < hashes
	}
	i := (at - address) / 16
	return PathAt{Hash: -1, Number: i}, at >= address && i < counters/2
}

func (d *decoder) siteRecord(off uint64) error {
	var r runfile.SiteRecord
	if err := d.fill(off, &r); err != nil {
		return err
	}
	size := uint64(binary.Size(runfile.Site{}))
	if d.sites != nil || r.Region != uint64(binary.Size(r)) || r.Number > r.RegionSize/size {
		return d.errorf(off, "%d sites in a region of %d bytes at %d", r.Number, r.RegionSize, r.Region)
	}
	if err := d.take(off, r.Number*size); err != nil {
		return err
	}
	d.sites = make([]runfile.Site, r.Number)
	return d.fill(off+r.Region, d.sites)
}

func (d *decoder) functionRecord(off uint64) error {
	var r runfile.FunctionRecord
	if err := d.fill(off, &r); err != nil {
		return err
	}
	if r.Region != uint64(binary.Size(r)) || r.Number > r.RegionSize/8 {
		return d.errorf(off, "%d functions in a region of %d bytes at %d", r.Number, r.RegionSize, r.Region)
	}
	if err := d.take(off, r.Number*8); err != nil {
		return err
	}
	list, err := d.words(off+r.Region, r.Number)
	if err != nil {
		return err
	}
	const bits = 1<<runfile.SiteReason - 1
	for _, w := range list {
		switch at := w & bits &^ runfile.SiteSampled; {
		case w&runfile.SiteUncounted != 0:
			d.uncounted = append(d.uncounted, uncounted{at, int(w &^ runfile.SiteUncounted >> runfile.SiteReason)})
		case w&runfile.SiteSampled != 0:
			d.sampled = append(d.sampled, at)
		}
	}
	return nil
}

// readFunctions finds out which functions were sampled.
func (d *decoder) readFunctions() {
	for _, at := range d.sampled {
		if path, ok := d.findPath(at, 0); ok {
			d.run.Sampled = append(d.run.Sampled, path)
		}
	}
	d.run.Uncounted = d.uncountedBy(d.findPath)
}

// uncountedBy returns the functions that nothing can count, with what finds a path.
func (d *decoder) uncountedBy(find func(at, number uint64) (PathAt, bool)) (list []Uncounted) {
	for _, u := range d.uncounted {
		if path, ok := find(u.at, 0); ok {
			list = append(list, Uncounted{path, u.reason})
		}
	}
	return list
}

// An Uncounted is path 0 of a function that nothing can count, and why, by a number of package rt/copies.
type Uncounted struct {
	PathAt
	Reason int
}

// uncounted is that as the file has it.
type uncounted struct {
	at     uint64
	reason int
}

// replicateSize is the size of an entry of a replicate record, in bytes.
const replicateSize = (4 + runfile.Replicates) * 8

func (d *decoder) checkReplicates(off uint64, r *runfile.ReplicateRecord) error {
	if r.Region != uint64(binary.Size(*r)) || r.Slots > r.RegionSize/replicateSize {
		return d.errorf(off, "%d replicates in a region of %d bytes at %d", r.Slots, r.RegionSize, r.Region)
	}
	return d.take(off, r.Slots*replicateSize)
}

func (d *decoder) replicateRecord(off uint64) error {
	var r runfile.ReplicateRecord
	if err := d.fill(off, &r); err != nil {
		return err
	}
	if err := d.checkReplicates(off, &r); err != nil {
		return err
	}
	b, err := d.bytes(off+r.Region, r.Slots*replicateSize)
	if err != nil {
		return err
	}
	for ; len(b) > 0; b = b[replicateSize:] {
		if w := decodeReplicate(b); w.At != 0 {
			d.windows = append(d.windows, w)
		}
	}
	return nil
}

// decodeReplicate decodes an entry. Most are free, and have nothing but zeros.
func decodeReplicate(b []byte) (w runfile.Replicate) {
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(b[i*8:]) }
	if w.At = word(0); w.At == 0 {
		return w
	}
	w.Path, w.Group, w.Samples = word(1), word(2), word(3)
	for i := range w.Sum {
		w.Sum[i] = word(4 + i)
	}
	return w
}

// addControl adds an entry to controls by their numbers, and reports whether it is one of a control.
func addControl(controls map[uint64]*Control, w *runfile.Replicate) bool {
	if w.At&runfile.EntriesOf == 0 {
		return false
	}
	c := controls[w.At]
	if c == nil {
		c = new(Control)
		controls[w.At] = c
	}
	if w.Group == 0 {
		c.Exact = w.Samples
	} else {
		c.Seen = append(c.Seen, replicateOf(PathAt{}, w))
	}
	return true
}

// knownControls returns controls of which it is known how many activations there were, in order of their numbers.
func knownControls(controls map[uint64]*Control) (list []Control) {
	for _, at := range slices.Sorted(maps.Keys(controls)) {
		if c := controls[at]; c.Exact > 0 {
			list = append(list, *c)
		}
	}
	return list
}

// readReplicates finds out what paths the replicates are of.
func (d *decoder) readReplicates() {
	controls := make(map[uint64]*Control)
	defer func() { d.run.Controls = knownControls(controls) }()
	for i := range d.windows {
		if addControl(controls, &d.windows[i]) {
			continue
		}
		if at, ok := d.findPath(d.windows[i].At, d.windows[i].Path); ok {
			d.run.Replicates = append(d.run.Replicates, replicateOf(at, &d.windows[i]))
		}
	}
}

// replicateOf returns an entry about a path.
func replicateOf(at PathAt, w *runfile.Replicate) Replicate {
	const level = 15
	return Replicate{
		PathAt:  at,
		Of:      int(w.Group >> runfile.WindowOf & level),
		Level:   int(w.Group >> runfile.WindowLevel & level),
		Density: int(w.Group >> runfile.WindowDensity),
		Samples: w.Samples,
		Sum:     w.Sum,
	}
}

// readSites finds out what the sites are. Those of packages that had not been registered yet when the process was killed are
// left out.
func (d *decoder) readSites() {
	for _, w := range d.sites {
		s := Site{
			Address:  w.Address,
			Register: w.At&runfile.SiteRegister != 0,
			Sampled:  w.At&runfile.SiteSampled != 0,
			Frames:   d.locations[pcct.Ref(w.Location)],
			Estimate: w.Estimate,
			Samples:  w.Samples,
		}
		var ok bool
		marker := w.At &^ (runfile.SiteRegister | runfile.SiteSampled)
		if s.Marker, ok = d.findPath(marker, 0); !ok {
			continue
		}
		if s.Estimate > 0 {
			last, number := w.Path, uint64(0)
			if s.Marker.Hash >= 0 {
				last, number = marker, last
			}
			if s.Last, ok = d.findPath(last, number); !ok {
				s.Estimate, s.Samples = 0, 0 // the process was killed while it counted the first
			}
		}
		d.run.Sites = append(d.run.Sites, s)
	}
}

// assignChunks adds the counts of each hash chunk to its Hash. A chunk that
// counted before its package was registered, in a process killed in between,
// belongs to none and is left out.
func (d *decoder) assignChunks() error {
	for _, c := range d.chunks {
		for _, p := range d.run.Packages {
			i := (c.hash - d.hashAddr[p]) / runfile.HashSize
			if c.hash < d.hashAddr[p] || i >= uint64(len(p.Hashes)) {
				continue
			}
			if (c.hash-d.hashAddr[p])%runfile.HashSize != 0 {
				return d.errorf(c.off, "chunk of a hash at %#x, of which %s has them from %#x", c.hash, p.Path, d.hashAddr[p])
			}
			for e := 0; e < len(c.entries); e += 2 {
				key, n := c.entries[e], c.entries[e+1]
				if p.Hashes[i] == nil {
					p.Hashes[i] = make(map[uint64]uint64)
				}
				sum, carry := bits.Add64(p.Hashes[i][key-1], n, 0)
				if carry != 0 {
					return d.errorf(c.off, "counts of entry %d of a hash table of %s overflow 64 bits", key, p.Path)
				}
				p.Hashes[i][key-1] = sum
			}
			break
		}
	}
	return nil
}

// addShards adds what was counted in shards.
func (d *decoder) addShards() error {
	for _, p := range d.run.Packages {
		address, n := d.address[p], uint64(len(p.Counters))
		for _, s := range d.shards {
			at := address - s.address
			if address < s.address || at > s.size || n > (s.size-at)/8 {
				continue
			}
			if d.counted += n * 8; d.counted > d.size {
				return d.errorf(s.off, "a shard that has counters of other shards")
			}
			if err := d.eachCounter(s.off+at, n, func(i, count uint64) { p.Counters[i] += count }); err != nil {
				return err
			}
		}
	}
	return nil
}

// words reads n words at off.
func (d *decoder) words(off, n uint64) ([]uint64, error) {
	b, err := d.bytes(off, n*8)
	if err != nil {
		return nil, err
	}
	return decodeWords(b), nil
}

func decodeWords(b []byte) []uint64 {
	w := make([]uint64, len(b)/8)
	for i := range w {
		w[i] = binary.LittleEndian.Uint64(b[i*8:])
	}
	return w
}

// fill reads at off a struct of words of package runfile, such as a record, or a slice of them.
func (d *decoder) fill(off uint64, record any) error {
	b, err := d.bytes(off, uint64(binary.Size(record)))
	if err != nil {
		return err
	}
	if _, err := binary.Decode(b, binary.LittleEndian, record); err != nil {
		panic("BUG: " + err.Error()) // it has other fields than words
	}
	return nil
}

// bytes reads n bytes at off, which the caller has found to lie within the file.
func (d *decoder) bytes(off, n uint64) ([]byte, error) {
	b := make([]byte, n)
	if got, err := d.r.ReadAt(b, int64(off)); got < len(b) {
		return nil, fmt.Errorf("run file: %d bytes at offset %#x: %w", n, off, err)
	}
	return b, nil
}

func (d *decoder) errorf(off uint64, format string, args ...any) error {
	return fmt.Errorf("run file: record at offset %#x: %s", off, fmt.Sprintf(format, args...))
}
