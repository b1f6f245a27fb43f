package spool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/push"
)

// A batch that a server holds again and again, while it takes others, is divided in halves until what it does not take is found.
// The halves that it takes are delivered, so that most counts are. What is left is set aside when it was held against others
// three times. It is one file for each key, in a folder of its own, which nobody sends. If such a file is moved back, the next
// Sender sends it.

const (
	heldBefore = 3  // times that a batch is held before it is divided: a server may be busy
	mostTried  = 3  // times that it is divided, or cannot be, before what is left is set aside
	mostBegun  = 16 // batches whose halves may be set aside by turns, in some flushes in a row
	mostAsked  = 64 // requests of a flush for halves: one sample of 16,000 is found by 28

	refusedDir = "refused"
)

// divide looks for what the server does not take of batches that it held. It is called when the server has just taken others.
func (q *queue) divide(ctx context.Context, target push.Target, held []*entry, now time.Time) {
	asked := 0
	for _, e := range held {
		q.mu.Lock()
		divisible := e.held >= heldBefore && e.batch == nil
		q.mu.Unlock()
		if !divisible {
			continue
		}
		rest, err := q.divideOne(ctx, target, e, now, &asked)
		if err != nil {
			return // the server takes nothing any more, or is slow
		}
		q.mu.Lock()
		q.keepRest(rest)
		q.mu.Unlock()
	}
}

// divideOne returns the parts of a batch that the server does not take. An error is that it takes nothing now, or is slow:
// then all that it has not taken is in the queue.
func (q *queue) divideOne(ctx context.Context, target push.Target, e *entry, now time.Time, asked *int) (rest []*entry, err error) {
	for parts := []*entry{e}; len(parts) > 0; parts = parts[1:] {
		if q.late(mostFlush) {
			return nil, errLate
		}
		var halves []*entry
		if *asked < mostAsked {
			halves = q.halve(parts[0])
		}
		if halves == nil {
			rest = append(rest, parts[0])
			continue
		}
		for _, half := range halves {
			*asked++
			outcome, err := q.send(ctx, target, half, now)
			switch {
			case err == nil:
			case outcome.Verdict == push.Later:
				q.until = now.Add(outcome.Wait)
				return nil, err
			case outcome.Verdict == push.Held:
				parts = append(parts, half)
			}
		}
	}
	return rest, nil
}

// halve puts two files with half of the samples each in the place of one. They are nil if that has one sample only, or cannot be
// done.
func (q *queue) halve(e *entry) []*entry {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !slices.Contains(q.entries, e) || e.batch != nil || len(e.Replaces) > 0 {
		return nil
	}
	b, err := q.load(e)
	if err != nil {
		q.setAside(e, err)
		return nil
	}
	n := len(b.Profile.Sample)
	if n < 2 {
		return nil
	}
	var halves []*entry
	for _, part := range [][2]int{{0, n / 2}, {n / 2, n}} {
		half := &entry{header: e.header, order: e.order}
		half.inherit(e)
		half.HalfOf = e.name
		if q.write(half, b.Part(part[0], part[1])) != nil {
			break
		}
		halves = append(halves, half)
	}
	// Until the whole is gone the halves count for nothing: see removeHalves.
	if len(halves) < 2 || q.remove(e.name) != nil {
		for _, half := range halves {
			q.remove(half.name)
		}
		return nil
	}
	q.disk.sync(q.dir)
	q.forget(e)
	for _, half := range halves {
		q.insert(half)
	}
	return halves
}

// removeHalves removes the halves of files that are there: the program was killed before it had removed the whole.
func (q *queue) removeHalves() {
	for _, e := range slices.Clone(q.entries) {
		whole := func(other *entry) bool { return other.name == e.HalfOf }
		if e.HalfOf != "" && slices.ContainsFunc(q.entries, whole) {
			q.forget(e)
			q.remove(e.name)
		}
	}
}

// keepRest puts the parts that the server does not take together again. When it has refused them often enough, they are set
// aside.
func (q *queue) keepRest(rest []*entry) {
	rest = slices.DeleteFunc(rest, func(e *entry) bool { return !slices.Contains(q.entries, e) })
	if len(rest) == 0 {
		return
	}
	sum := rest[0]
	if len(rest) > 1 {
		if sum, _ = q.sumUp(rest); sum == nil {
			return
		}
	}
	if sum.tried++; sum.tried >= mostTried {
		q.refuse(sum)
	}
}

// refuse sets a batch aside. If it cannot be written, or what was set aside before cannot be read, it stays in the queue.
func (q *queue) refuse(e *entry) {
	b, err := q.load(e)
	if err != nil {
		q.setAside(e, err)
		return
	}
	name := filepath.Join(q.dir, refusedDir, e.Key+waiting)
	h := headerOf(b, e.Intervals, []string{e.name})
	h.Refused = []time.Time{e.Start}
	totals := b.Totals()
	old, before, err := readWhole(name)
	if err == nil && before.Key != e.Key {
		err = errDamaged // somebody has given the name to another
	}
	switch {
	case err == nil:
		if b, err = old.Add(b); err != nil {
			panic("BUG: " + err.Error()) // they have the same key
		}
		intervals, begun := before.Intervals, before.Refused
		if slices.ContainsFunc(begun, e.Start.Equal) { // another half of the same
			b.Duration = old.Duration
		} else {
			intervals += e.Intervals
			begun = append(begun[max(0, len(begun)-mostBegun+1):], e.Start)
		}
		h = headerOf(b, intervals, []string{e.name})
		h.Refused = begun
	case errors.Is(err, errDamaged):
		q.disk.rename(name, name+damaged)
	case !errors.Is(err, fs.ErrNotExist):
		return // what is in it must not be replaced
	}
	data, err := encode(h, b.Profile)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(name), 0o700)
	}
	if err == nil {
		err = q.disk.put(name, data)
	}
	if err != nil {
		return
	}
	q.stats.Refused++
	q.log(fmt.Sprintf("%s: the server takes other profiles, and not a part of one (%s), which is set aside in %s; move the file up to have it sent again",
		q.dir, totals, name))
	q.forget(e)
	q.storeLast(e.Seq)
	q.remove(e.name)
	q.disk.sync(q.dir)
}

// openRefused removes what was set aside before the program was killed.
func (q *queue) openRefused() error {
	files, err := os.ReadDir(filepath.Join(q.dir, refusedDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		h, _, err := readHeader(filepath.Join(q.dir, refusedDir, f.Name()))
		if err != nil || filepath.Ext(f.Name()) != waiting {
			continue
		}
		q.stats.Refused++
		q.last = max(q.last, h.Seq)
		for _, e := range slices.Clone(q.entries) {
			if slices.Contains(h.Replaces, e.name) {
				q.forget(e)
				q.remove(e.name)
			}
		}
	}
	return nil
}
