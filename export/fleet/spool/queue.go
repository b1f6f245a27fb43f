package spool

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/push"
)

// lastFile has the number of the last batch that was added and is not in the spool any more.
const lastFile = "last"

// queue is the spool of one target: a folder, and what cannot be written to it.
type queue struct {
	dir  string
	room int64 // bytes
	log  func(string)
	disk disk

	clock func() time.Time // of how long requests take; time.Now but for tests

	flushing   sync.Mutex           // held while batches are sent; guards what follows
	until      time.Time            // when the server wants to be asked again
	silent     time.Time            // when a server that gives no answer is asked again
	flushed    time.Time            // when the last flush was
	began      time.Time            // the last one that sent something, by clock
	outcome    push.Outcome         // of its last request
	behind     bool                 // it had no time for all
	stamped    map[string]time.Time // the last new time of a stale batch in it, by key
	unanswered int                  // flushes in a row that ended without an answer, and nothing was delivered

	mu      sync.Mutex // guards what follows; not held while a batch is sent
	entries []*entry   // by order
	order   uint64     // of the last entry
	last    uint64     // number of the last batch that was added
	stored  uint64     // the number in lastFile
	told    bool       // that the disk is full, since it was last written to
	over    bool       // told that more cannot be added up
	stats   Stats
}

// entry is a batch that is waiting: a file, or in memory.
type entry struct {
	header
	name  string      // of the file, without folder and extension
	ext   string      // of the file: waiting, sending or doubted
	order uint64      // the beginning of the name
	size  int64       // of the file
	batch *push.Batch // nil if there is a file

	busy     bool // being sent
	doubtful bool // the server may have it
	least    bool // cannot be made smaller
	held     int  // how often the server did not take it, though it may take others
	tried    int  // how often that was held against what it does take: see refused.go
}

// openQueue reads what is waiting in a folder, which it makes.
func openQueue(dir string, room int64, log func(string), d disk) (*queue, error) {
	q := &queue{dir: dir, room: room, log: log, disk: d, clock: time.Now, stats: Stats{Dropped: make(map[string]int)}}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		q.open(f.Name())
	}
	q.removeHalves()
	q.removeReplaced()
	if err := q.openRefused(); err != nil {
		return nil, err
	}
	if text, err := os.ReadFile(filepath.Join(dir, lastFile)); err == nil {
		q.stored, _ = strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64) // 0 if it is damaged
		q.last = max(q.last, q.stored)
	}
	return q, nil
}

// open takes a file of the folder into the queue.
func (q *queue) open(file string) {
	name, extension := strings.TrimSuffix(file, filepath.Ext(file)), filepath.Ext(file)
	switch extension {
	case partial:
		q.disk.remove(filepath.Join(q.dir, file)) // never was whole
		return
	case damaged:
		q.stats.Damaged++
		return
	case sending, waiting, doubted:
	default:
		return
	}
	e := &entry{name: name, ext: extension, doubtful: extension != waiting}
	if extension == sending {
		q.stats.Doubtful++
		q.unmark(e)
	}
	first, _, _ := strings.Cut(name, "-")
	e.order, _ = strconv.ParseUint(first, 10, 64)
	var err error
	if e.header, e.size, err = readHeader(q.file(e)); err != nil {
		if !q.setAside(e, err) {
			q.log(fmt.Sprintf("%s is left out until the next start: %v", q.file(e), err))
		}
		return
	}
	q.insert(e)
	q.last = max(q.last, e.Seq)
}

// insert adds an entry in its place.
func (q *queue) insert(e *entry) {
	q.entries = append(q.entries, e)
	slices.SortStableFunc(q.entries, func(a, b *entry) int {
		return strings.Compare(orderText(a.order)+a.name, orderText(b.order)+b.name)
	})
	q.order = max(q.order, e.order)
}

func orderText(order uint64) string { return fmt.Sprintf("%020d", order) }

// newName returns a name that no file has had, nor has: a sum that replaces files must not replace later ones.
func newName(order uint64) string { return orderText(order) + "-" + rand.Text()[:13] }

// file returns the name of an entry's file.
func (q *queue) file(e *entry) string { return filepath.Join(q.dir, e.name+e.ext) }

// mark notes in the name of a file that it is being sent. If that cannot be done, a crash now is not counted.
func (q *queue) mark(e *entry) { q.rename(e, sending) }

// unmark notes in the name of a file that it is not being sent any more, and whether the server may have it.
func (q *queue) unmark(e *entry) { q.rename(e, e.restExt()) }

// restExt returns the extension of an entry that is not being sent. After a restart, too, what the server may have is not added
// up with others.
func (e *entry) restExt() string {
	if e.doubtful {
		return doubted
	}
	return waiting
}

// rename gives the file of an entry another extension, if it can.
func (q *queue) rename(e *entry, ext string) {
	if q.disk.rename(q.file(e), filepath.Join(q.dir, e.name+ext)) == nil {
		e.ext = ext
	}
}

// remove removes the file of an entry.
func (q *queue) remove(name string) error {
	var failed error
	for _, extension := range []string{waiting, sending, doubted} {
		if err := q.disk.remove(filepath.Join(q.dir, name+extension)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = err
		}
	}
	return failed
}

// removeReplaced removes files that are part of a sum. They are there if the program was killed when it had written the sum.
func (q *queue) removeReplaced() {
	replaced := make(map[string]bool)
	for _, e := range q.entries {
		for _, name := range e.Replaces {
			replaced[name] = true
		}
	}
	for _, e := range slices.Clone(q.entries) {
		if replaced[e.name] {
			q.forget(e)
		}
	}
	for _, e := range q.entries {
		q.removeParts(e)
	}
}

// removeParts removes the files that an entry is the sum of. What cannot be removed stays in the list.
func (q *queue) removeParts(e *entry) {
	e.Replaces = slices.DeleteFunc(e.Replaces, func(name string) bool { return q.remove(name) == nil })
}

// forget takes an entry out of the list.
func (q *queue) forget(e *entry) {
	q.entries = slices.DeleteFunc(q.entries, func(other *entry) bool { return other == e })
}

// passing reports whether a file that could not be read may be whole.
func passing(err error) bool {
	return err != nil && !errors.Is(err, errDamaged) && !errors.Is(err, fs.ErrNotExist)
}

// setAside keeps a file that is damaged or not there out of the way, and reports whether it did. Other errors may be over the
// next time, such as too many open files.
func (q *queue) setAside(e *entry, err error) bool {
	if passing(err) {
		return false
	}
	q.forget(e)
	q.stats.Damaged++
	name := q.file(e)
	if errors.Is(err, errDamaged) {
		if aside := filepath.Join(q.dir, e.name+damaged); q.disk.rename(name, aside) == nil {
			name = aside
		}
	}
	q.log(fmt.Sprintf("%s is left out: %v", name, err))
	return true
}

// add takes a prepared batch into the queue. It is on disk when add returns, or in memory if the disk is full.
func (q *queue) add(b push.Batch) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if b.Seq != 0 && b.Seq <= q.last {
		return // added before a crash
	}
	q.last = max(q.last, b.Seq)
	q.order++
	e := &entry{header: headerOf(b, 1, nil), order: q.order, batch: &b}
	q.insert(e)
	q.writeAll()
	q.shrink()
}

// writeAll writes what is in memory, as far as the disk has room. What has to stay in memory is added up.
func (q *queue) writeAll() {
	for _, e := range slices.Clone(q.entries) {
		if e.batch == nil || e.busy {
			continue
		}
		if err := q.write(e, *e.batch); err != nil {
			if !q.told {
				q.told = true
				q.log(fmt.Sprintf("%s cannot be written: %v. Counts that are not pushed yet are kept in memory", q.dir, err))
			}
			q.addUpMemory()
			return
		}
	}
	q.told = false
}

// write makes the file of an entry.
func (q *queue) write(e *entry, b push.Batch) error {
	data, err := encode(e.header, b.Profile)
	if err != nil {
		return err
	}
	name, ext := newName(e.order), e.restExt()
	if err := q.disk.put(filepath.Join(q.dir, name+ext), data); err != nil {
		return err
	}
	e.name, e.ext, e.size, e.batch = name, ext, int64(len(data)), nil
	q.removeParts(e)
	return nil
}

// addUpMemory leaves one batch of each key in memory.
func (q *queue) addUpMemory() {
	first := make(map[string]*entry)
	for _, e := range slices.Clone(q.entries) {
		if e.batch == nil || e.busy {
			continue
		}
		sum := first[e.Key]
		if sum == nil {
			first[e.Key] = e
			continue
		}
		b, err := sum.batch.Add(*e.batch)
		if err != nil {
			panic("BUG: " + err.Error()) // they have the same key
		}
		sum.batch = &b
		sum.header = headerOf(b, sum.Intervals+e.Intervals, append(sum.Replaces, e.Replaces...))
		sum.inherit(e)
		q.forget(e)
	}
}

// inherit has e, which has something of from in it, be treated as from was.
func (e *entry) inherit(from *entry) {
	e.held, e.tried, e.doubtful = max(e.held, from.held), max(e.tried, from.tried), e.doubtful || from.doubtful
}

// load returns the batch of an entry.
func (q *queue) load(e *entry) (push.Batch, error) {
	if e.batch != nil {
		return *e.batch, nil
	}
	return read(q.file(e))
}

// bytes returns the size of all files.
func (q *queue) bytes() int64 {
	n := int64(0)
	for _, e := range q.entries {
		n += e.size
	}
	return n
}

// snapshot returns what Stats has of the queue.
func (q *queue) snapshot() Stats {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.stats
	s.Dropped = maps.Clone(s.Dropped)
	s.Bytes = q.bytes()
	for _, e := range q.entries {
		s.Waiting++
		s.Intervals += e.Intervals
		if e.batch != nil {
			s.InMemory++
		}
	}
	return s
}

// close writes what it can.
func (q *queue) close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.writeAll()
	for _, e := range q.entries {
		if e.batch != nil {
			return fmt.Errorf("%s: counts that were neither pushed nor written are lost", q.dir)
		}
	}
	return nil
}
