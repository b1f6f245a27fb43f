package follow

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// Options say what to follow.
type Options struct {
	Dirs   []string // names of directories with run files, or patterns of such names as filepath.Match has them
	Owners []int    // users, by number, whose files are read besides those of the directory's owner and one's own
	MaxRun int64    // the most bytes that a run file may take on disk; 0 is DefaultMaxRun
	Flags  bool     // errors name -owner and -max-run, which the command has

	Contexts bool // deltas of runs that have calling contexts have CPU time by these

	Now func() time.Time // the clock; nil is time.Now
}

// DefaultMaxRun is the most bytes that a run file may take on disk: five times what a program has with everything
// instrumented.
const DefaultMaxRun = 1 << 30

// A Follower knows the runs of directories. It is for one goroutine.
type Follower struct {
	options Options
	trust   profiledir.Trust
	tables  profile.Tables
	live    *profile.Live
	texts   map[[sha256.Size]byte][]byte // path tables: many runs have the same
	sums    map[*byte][sha256.Size]byte  // of these, by their first byte
	runs    map[string]*Run              // by name of the file

	how      how             // of the poll that is going on
	kept     int             // files that stay open
	restored map[string]Sent // by name of the file, of runs that have not been read yet
	passed   Unread          // files that were passed over, and are gone

	restoredAt time.Time
}

// New returns a follower that has read nothing yet.
func New(o Options) *Follower {
	if o.MaxRun == 0 {
		o.MaxRun = DefaultMaxRun
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	f := &Follower{
		options: o, trust: profiledir.Trust{Owners: o.Owners, MaxRun: o.MaxRun, Flags: o.Flags}, runs: make(map[string]*Run),
		texts: make(map[[sha256.Size]byte][]byte), sums: make(map[*byte][sha256.Size]byte),
	}
	f.live = profile.NewLive(&f.tables)
	return f
}

// Tables returns the path tables that have been decoded, for tallies to make profiles with.
func (f *Follower) Tables() *profile.Tables { return &f.tables }

// Runs returns all runs that have been read, by name of the file. Those whose files are gone are among them.
func (f *Follower) Runs() (list []*Run) {
	for _, r := range f.runs {
		if r.Now != nil {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b *Run) int { return cmp.Compare(a.name, b.name) })
	return list
}

// Unread is how many files are passed over.
type Unread struct {
	Versions int // whose format is of a version that is not read
	Others   int // with which something else is wrong
}

// Unread counts the files that are passed over, since the follower began.
func (f *Follower) Unread() Unread {
	n := f.passed
	for _, r := range f.runs {
		n.count(r.Err)
	}
	return n
}

// count counts a file by what is wrong with it, which may be nothing.
func (u *Unread) count(err error) {
	version := (*rundata.VersionError)(nil)
	switch {
	case err == nil:
	case errors.As(err, &version):
		u.Versions++
	default:
		u.Others++
	}
}

// Sent is what the deltas of a run added up to, to go on with in another process.
type Sent struct {
	Name   string // of the file
	Pid    int
	Start  int64        // Unix time in nanoseconds
	Counts *tally.Tally // with hashes in place of tables
	Times  tally.SentContexts
}

// Sent returns what the deltas of all runs have added up to, but for runs whose files are gone.
func (f *Follower) Sent() (list []Sent) {
	for _, r := range f.Runs() {
		if f.Gone(r) {
			continue
		}
		if sent := r.carry.Sent(); sent != nil {
			list = append(list, Sent{r.name, r.Pid, r.Start.UnixNano(), sent.WithSums(f.Sum), r.times.Sent()})
		}
	}
	for _, s := range f.restored {
		if !gone(s.Name) || f.options.Now().Sub(f.restoredAt) < mostAway { // its directory may be away
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b Sent) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// Restore has deltas go on from what another follower has sent. It is called before the first Poll.
func (f *Follower) Restore(list []Sent) {
	f.restored, f.restoredAt = make(map[string]Sent), f.options.Now()
	for _, s := range list {
		f.restored[s.Name] = s
	}
}

// restore has a run that was read for the first time go on from what was sent of it.
func (f *Follower) restore(r *Run) {
	if s, ok := f.sentOf(r); ok {
		r.carry.Restore(s.Counts.WithTables(r.Now))
		r.times.Restore(s.Times)
		delete(f.restored, s.Name)
	}
	delete(f.restored, r.name)
}

// sentOf returns what was sent of a run. That may be under the name that its file had before a wrap ended, or else under another
// name of its directory, such as a relative one.
func (f *Follower) sentOf(r *Run) (s Sent, ok bool) {
	is := func(s Sent) bool { return s.Pid == r.Pid && s.Start == r.Start.UnixNano() }
	for _, name := range profiledir.Places(r.name) {
		if s, ok = f.restored[name]; ok && is(s) {
			return s, true
		}
	}
	for name, s := range f.restored {
		if is(s) && filepath.Base(name) == filepath.Base(r.name) {
			return s, true
		}
	}
	return Sent{}, false
}

// Forget forgets a run: it is read anew if its file is still there.
func (f *Follower) Forget(r *Run) {
	f.close(r)
	delete(f.runs, r.name)
}

// Poll reads what has been written since the last time, and returns the runs with something new: counts, an end, or an
// error. Estimates are as good as can be.
func (f *Follower) Poll() (changed []*Run) { return f.pollAll(exactly) }

// Track is Poll for deltas that are asked for often. Estimates of sampled runs that go on are made from time to time, and in
// between they grow in proportion; see tally.Tracker. Counters among which none had counted anything are looked at once a
// minute.
func (f *Follower) Track() (changed []*Run) { return f.pollAll(tracking) }

// Watch looks for runs that have begun or ended. A run that goes on is not read again: its file stays open, so that what it has
// counted can be read when it has ended, also if the file was removed. Files beyond mostKept are read as Track does, but for runs
// that have to be read as a whole (values in strata): these are read when they have ended.
func (f *Follower) Watch() (changed []*Run) { return f.pollAll(watching) }

// how is how well estimates are made.
type how int

const (
	exactly how = iota
	tracking
	watching
)

func (f *Follower) pollAll(h how) (changed []*Run) {
	f.how = h
	seen := make(map[*Run]bool)
	for _, dir := range f.dirs() {
		info, err := os.Stat(dir)
		if err != nil {
			continue // it is gone
		}
		for _, name := range profiledir.Glob(dir) {
			if r := f.pollFile(name, info); r != nil {
				changed = append(changed, r)
			}
			seen[f.runs[name]] = true
		}
	}
	for _, r := range f.runs {
		switch {
		case seen[r]:
			r.Vanished, r.away = false, time.Time{}
		case r.file != nil:
			if f.pollKept(r) {
				changed = append(changed, r)
			}
		case r.Now != nil && !r.Last() && f.Gone(r):
			r.Vanished = true
			changed = append(changed, r)
		case r.Now == nil && f.Gone(r): // nothing of it was read
			f.passed.count(r.Err)
			f.Forget(r)
		}
	}
	return changed
}

// Read reads the file of a run as a whole. It is safe for several goroutines.
func (f *Follower) Read(name string) (*rundata.Run, error) {
	dir, err := os.Stat(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	file, info, err := f.trust.Open(name, dir)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	run, err := rundata.Read(file, info.Size())
	if err != nil {
		return nil, err
	}
	run.Name = name
	run.Alive, _ = rundata.Locked(file)
	return run, nil
}

// dirs returns the directories that there are, and those in them that a wrap writes to while it runs.
func (f *Follower) dirs() (list []string) {
	for _, pattern := range f.options.Dirs {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			names = []string{pattern} // which may have characters special to patterns
		}
		for _, name := range names {
			list = append(list, name, (&profiledir.Dir{Path: name}).Running())
		}
	}
	return list
}

// pollFile reads a file, and returns its run if there is something new.
func (f *Follower) pollFile(name string, dir os.FileInfo) *Run {
	r := f.runs[name]
	if r != nil && (r.Ended || r.Err != nil) {
		if info, err := os.Lstat(name); err == nil && unchanged(r.info, info) {
			return nil
		}
	}
	if r != nil && r.file != nil && f.how == watching && r.goesOn(name) {
		return nil
	}
	file, info, err := f.trust.Open(name, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	before := r
	if r == nil || r.info != nil && info != nil && !os.SameFile(r.info, info) { // it is new, or another one by now
		if r != nil {
			f.close(r)
		}
		known, twice := f.moved(name, info)
		if twice {
			file.Close()
			return nil
		}
		if r = known; r == nil {
			r = new(Run)
		}
		r.name = name
		r.root, _ = os.Stat(root(name))
		f.runs[name] = r
	}
	if err != nil {
		if r.info, _ = os.Lstat(name); r.Err != nil {
			return nil
		}
		r.Err = err
		return r
	}
	defer func() { f.keepOpen(r, file) }()
	first, trouble := r.Now == nil, r.Err
	r.Err = nil
	changed := f.poll(r, file, info)
	if first && r.Now != nil {
		if known := f.earlier(r, before); known != nil { // before had the name
			r = f.goOn(r, known)
		}
	}
	if !changed || trouble != nil && r.Err != nil && trouble.Error() == r.Err.Error() {
		return nil // a program goes on to write its file though that cannot be read
	}
	return r
}

// moved returns the run of a file that had another name, as those of a wrap that has ended had. It is not among the runs any
// more. Twice tells that the file has that name still, as in the moment in which a wrap ends: the run is read by it. A file that
// has moved has its last element still: another one has got the number of a file that was removed.
func (f *Follower) moved(name string, info os.FileInfo) (r *Run, twice bool) {
	if info == nil {
		return nil, false
	}
	for before, r := range f.runs {
		if r.info == nil || !os.SameFile(r.info, info) {
			continue
		}
		switch now, err := os.Lstat(before); {
		case err == nil && os.SameFile(now, info):
			return nil, true
		case err != nil && filepath.Base(before) == filepath.Base(name):
			delete(f.runs, before)
			return r, false
		}
	}
	return nil, false
}

func unchanged(before, now os.FileInfo) bool {
	return before != nil && os.SameFile(before, now) && before.Size() == now.Size() && before.ModTime().Equal(now.ModTime())
}

// keep has runs of one build share the text of their path tables.
func (f *Follower) keep(table []byte) []byte {
	sum := sha256.Sum256(table)
	if known := f.texts[sum]; known != nil {
		return known
	}
	f.texts[sum] = table
	if len(table) > 0 {
		f.sums[&table[0]] = sum
	}
	return table
}

// Sum returns the SHA-256 of a path table, which is known of those of runs.
func (f *Follower) Sum(table []byte) [sha256.Size]byte {
	if len(table) > 0 {
		if sum, ok := f.sums[&table[0]]; ok {
			return sum
		}
	}
	return sha256.Sum256(table)
}
