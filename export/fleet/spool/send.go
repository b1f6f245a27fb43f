package spool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/push"
)

// maxWait is the longest time that a server may want to be left alone for. More is a clock that was set back.
const maxWait = time.Hour

// maxAlone is the longest time that a server is left alone for that gives no answer. It is well below push.MaxAge: when the
// server is back, few batches are too old.
const maxAlone = 10 * time.Minute

// How many batches in a row a server may hold. If it has taken none before, it is the server after some, not the batch.
const (
	mostHeld      = 3
	mostHeldAfter = 16 // one was taken
)

// mostFlush is for how long requests are begun: nothing is read meanwhile, and the usual interval is a minute. One that has begun
// gets its answer, or it would be doubtful.
const mostFlush = time.Minute

// mostSent is for how long of it batches are sent as they are, if some may be divided. The rest is for their halves: see
// refused.go.
const mostSent = mostFlush * 3 / 4

// apart is how far the new times of two stale batches are apart. A flush has time for ten thousand or so. Of these the last is
// minutes earlier, which servers still take. It is more than the time by which intervals usually differ.
const apart = 17 * time.Millisecond

// errLate is why something is left when requests have taken that long.
var errLate = errors.New("the server is slow, and the rest is sent later")

// late reports whether flush has taken that long.
func (q *queue) late(most time.Duration) bool { return q.clock().Sub(q.began) >= most }

// flush sends what is waiting, the oldest first, until the server takes no more. Those that it did not take before come last,
// or they might keep it from others. Beside a slow server they would never have a turn, so one of them comes first when the flush
// before had no time for all. The error says why something is left.
func (q *queue) flush(ctx context.Context, target push.Target, now time.Time) error {
	q.flushing.Lock()
	defer q.flushing.Unlock()
	interval := now.Sub(q.flushed)
	q.flushed = now
	if wait := q.until.Sub(now); 0 < wait && wait <= maxWait {
		return fmt.Errorf("the server is left alone until %s", q.until.Format(time.TimeOnly))
	}
	_, last := ctx.Deadline()
	if wait := q.silent.Sub(now); !last && 0 < wait && wait <= maxAlone {
		return fmt.Errorf("the server gave no answer, and is left alone until %s", q.silent.Format(time.TimeOnly))
	}
	q.began, q.outcome, q.stamped = q.clock(), push.Outcome{}, make(map[string]time.Time)
	q.mu.Lock()
	q.writeAll()
	q.gather(now)
	entries, before := slices.Clone(q.entries), q.stats
	slices.SortStableFunc(entries, func(a, b *entry) int { return a.held - b.held })
	if i := slices.IndexFunc(entries, func(e *entry) bool { return e.held > 0 }); q.behind && i > 0 {
		turn := entries[i]
		entries = slices.Insert(slices.Delete(entries, i, i+1), 0, turn)
	}
	q.mu.Unlock()
	most := mostFlush
	if slices.ContainsFunc(entries, func(e *entry) bool { return e.held >= heldBefore-1 }) { // may be divided
		most = mostSent
	}
	err := q.sendAll(ctx, target, entries, most, now)
	q.behind = q.late(most)
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.stats.Delivered > before.Delivered:
		q.unanswered = 0
	case q.outcome.Verdict == push.Later && q.outcome.Doubtful:
		q.leaveAlone(interval, now)
	}
	if err != nil && q.stats.Doubtful > before.Doubtful {
		err = fmt.Errorf("%w (requests that may be counted twice: %d)", err, q.stats.Doubtful)
	}
	return err
}

// leaveAlone leaves a server alone for longer each time that it has given no answer: it may have taken the batch, and take it
// once more. Of the intervals none is left out after the first time, then one, then three. A server that answers that it holds a
// batch is not left alone.
func (q *queue) leaveAlone(interval time.Duration, now time.Time) {
	if interval < 0 || interval > maxWait { // the first flush, or a clock that was set
		interval = 0
	}
	q.silent = now.Add(min(interval<<min(q.unanswered, 10)-interval/2, maxAlone)) // between two flushes
	q.unanswered++
}

// sendAll sends batches in their order, and begins no more requests after some time.
func (q *queue) sendAll(ctx context.Context, target push.Target, entries []*entry, most time.Duration, now time.Time) error {
	var first error
	var refused []*entry
	held, delivered := 0, false
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if q.late(most) {
			first = cmp.Or(first, errLate)
			break
		}
		outcome, err := q.send(ctx, target, e, now)
		if first == nil {
			first = err
		}
		switch {
		case err == nil:
			held, delivered = 0, delivered || outcome.Verdict == push.Delivered
		case outcome.Verdict == push.Later:
			q.until = now.Add(outcome.Wait)
			return err
		case outcome.Verdict == push.Held:
			refused = append(refused, e)
			held++
		}
		if !delivered && held == mostHeld || held == mostHeldAfter {
			break
		}
	}
	if delivered {
		q.divide(ctx, target, refused, now)
	}
	return first
}

// send sends one batch, and does with it what the outcome says.
func (q *queue) send(ctx context.Context, target push.Target, e *entry, now time.Time) (push.Outcome, error) {
	b, err := q.begin(e)
	switch {
	case passing(err):
		return push.Outcome{Verdict: push.Later}, err // others cannot be read either, perhaps
	case b == nil:
		return push.Outcome{Verdict: push.Held}, err
	}
	outcome, err := target.Push(ctx, q.stamp(*b, e.Key, now))
	q.outcome = outcome
	q.end(e, outcome, err)
	return outcome, err
}

// stamp gives a stale batch a new time, which no other one of its key has: servers may take two profiles of a series in one
// millisecond for the same. The first is earlier, too: the last interval, which is not stale, may have begun at its time.
func (q *queue) stamp(b push.Batch, key string, now time.Time) push.Batch {
	if !b.Stale(now) {
		return b
	}
	b = b.Stamp(now)
	if before, ok := q.stamped[key]; ok && before.Before(b.Start) {
		b.Start = before
	}
	b.Start = b.Start.Add(-apart)
	q.stamped[key] = b.Start
	return b
}

// begin marks an entry as being sent, and returns its batch. The batch is nil if it cannot be read, or if the entry has been
// added up with others since it was listed. Then the sum is sent the next time.
func (q *queue) begin(e *entry) (*push.Batch, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !slices.Contains(q.entries, e) {
		return nil, nil
	}
	b, err := q.load(e)
	if err != nil {
		if !q.setAside(e, err) {
			e.held++ // others come first the next time
		}
		return nil, err
	}
	e.busy = true
	if e.batch == nil {
		b.ID = e.name
		q.mark(e)
	}
	return &b, nil
}

// end does with an entry what the outcome of its request says.
func (q *queue) end(e *entry, outcome push.Outcome, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	e.busy = false
	if outcome.Doubtful {
		q.stats.Doubtful++
		e.doubtful = true
	}
	switch outcome.Verdict {
	case push.Delivered:
		q.stats.Delivered++
	case push.Dropped:
		q.stats.Dropped[outcome.Reason]++
		q.log(fmt.Sprintf("%s: the server will not take a profile: %v", q.dir, err))
	default:
		if outcome.Verdict == push.Held {
			e.held++
		}
		if e.batch == nil {
			q.unmark(e)
		}
		return
	}
	q.forget(e)
	if e.batch == nil {
		q.removeParts(e)
		q.storeLast(e.Seq)
		q.remove(e.name) // if that fails, the name says at the next start that it was sent
		q.disk.sync(q.dir)
		return
	}
	q.storeLast(q.lastKept())
}

// lastKept returns the highest number up to which no batch is in memory: whoever adds these again would have them sent twice.
func (q *queue) lastKept() uint64 {
	last := q.last
	for _, e := range q.entries {
		if e.batch != nil && e.Seq > 0 {
			last = min(last, e.Seq-1)
		}
	}
	return last
}

// storeLast notes the number of a batch whose file is about to be removed, or that was sent from memory.
func (q *queue) storeLast(seq uint64) {
	if seq > q.stored && q.disk.put(filepath.Join(q.dir, lastFile), []byte(strconv.FormatUint(seq, 10)+"\n")) == nil {
		q.stored = seq
	}
}
