package spool

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/push"
)

// DefaultMaxBytes is how large the files for one target may be. A program that parses, matches and encodes executes 764
// paths in 281 functions. A minute of it has 33 kB of paths and 9 kB of calls. So a day of it is kept before anything
// is added up.
const DefaultMaxBytes = 64 << 20

// Config says what a Sender sends to, and where it keeps what it has not sent.
type Config struct {
	Dir      string                 // has a folder for each target; one Sender at a time may use it, and a target that is not given keeps its own
	Targets  map[string]push.Target // by a name that is the same the next time, of letters, digits and hyphens
	MaxBytes int64                  // of each target; 0 is DefaultMaxBytes
	Log      func(line string)      // what is told once; nil tells nobody. It must not call the Sender.
}

// A Sender keeps batches until servers have acknowledged them. Its methods may be called from several goroutines.
type Sender struct {
	targets map[string]push.Target
	queues  map[string]*queue
}

// Stats are what has become of the batches for one target, since Open.
type Stats struct {
	Waiting   int   // batches that are not sent yet
	Intervals int   // what they are the sum of
	InMemory  int   // batches of them that the disk has no room for
	Bytes     int64 // of their files

	Delivered int            // batches
	Dropped   map[string]int // batches that the server will never take, by reason
	Doubtful  int            // requests without an answer, or cut off by the end of the program: each may be counted twice
	Damaged   int            // files set aside
	Refused   int            // parts of batches set aside, since the server takes others and not these; see the folder refused
}

// Open returns a Sender with what an earlier one has left.
func Open(c Config) (*Sender, error) {
	if c.MaxBytes == 0 {
		c.MaxBytes = DefaultMaxBytes
	}
	if c.Log == nil {
		c.Log = func(string) {}
	}
	s := &Sender{targets: c.Targets, queues: make(map[string]*queue)}
	for name := range c.Targets {
		if !validTarget(name) {
			return nil, fmt.Errorf("a target cannot be called %q", name)
		}
		q, err := openQueue(filepath.Join(c.Dir, name), c.MaxBytes, c.Log, realDisk)
		if err != nil {
			return nil, err
		}
		s.queues[name] = q
	}
	return s, nil
}

// validTarget reports whether a name can be that of a folder everywhere.
func validTarget(name string) bool {
	for _, r := range name {
		if r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') {
			return false
		}
	}
	return name != ""
}

// Add takes a batch for all targets. It is on disk when Add returns, or in memory while the disk is full. An error is a
// mistake in the batch, which is not taken. One without samples is nothing to send. A batch with a number that is not above
// that of the last one was added before, and is ignored.
func (s *Sender) Add(b push.Batch) error {
	b, err := b.Prepare()
	if err != nil {
		return err
	}
	if len(b.Profile.Sample) == 0 {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(s.queues)) {
		s.queues[name].add(b)
	}
	return nil
}

// Last returns the number of the last batch that was added for some target, 0 if there was none with a number.
func (s *Sender) Last() (seq uint64) {
	for _, q := range s.queues {
		q.mu.Lock()
		seq = max(seq, q.last)
		q.mu.Unlock()
	}
	return seq
}

// Forgets reports whether the next Sender would take the last batch for a new one, which is sent or on disk for all targets.
// Where it was sent from memory, its number could not be written either.
func (s *Sender) Forgets() bool {
	forgets := false
	for _, q := range s.queues {
		q.mu.Lock()
		known, inMemory := q.stored, false
		for _, e := range q.entries {
			if inMemory = inMemory || e.batch != nil; e.batch == nil {
				known = max(known, e.Seq)
			}
		}
		forgets = forgets || known < q.last
		q.mu.Unlock()
		if inMemory {
			return false
		}
	}
	return forgets
}

// Flush sends what is waiting to all targets at once. The error has why something is still waiting or was dropped. It is
// lost in the latter case only; Flush may be called again in the next interval. With a deadline there is none: then a server
// that gave no answer is asked all the same, unless it wants to be left alone.
func (s *Sender) Flush(ctx context.Context, now time.Time) error {
	var wait sync.WaitGroup
	var mu sync.Mutex
	failed := make(map[string]error)
	for name, q := range s.queues {
		wait.Go(func() {
			if err := q.flush(ctx, s.targets[name], now); err != nil {
				mu.Lock()
				failed[name] = fmt.Errorf("%s: %w", name, err)
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(failed)) {
		errs = append(errs, failed[name])
	}
	return errors.Join(errs...)
}

// Stats returns what has become of the batches for each target.
func (s *Sender) Stats() map[string]Stats {
	all := make(map[string]Stats)
	for name, q := range s.queues {
		all[name] = q.snapshot()
	}
	return all
}

// Close closes connections, and writes what the disk had no room for. What it still has none for is lost, which is the error.
// What is waiting on disk stays there.
func (s *Sender) Close() error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(s.queues)) {
		s.targets[name].Close()
		errs = append(errs, s.queues[name].close())
	}
	return errors.Join(errs...)
}
