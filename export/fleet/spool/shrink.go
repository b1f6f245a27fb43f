package spool

import (
	"fmt"
	"slices"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/push"
)

// shrink makes the files fit in the limit, without any loss but of resolution. First it adds neighbouring intervals up that
// are short, so that all of the outage has about the same resolution. Then, if there is one batch of each key, it adds cold
// paths up.
func (q *queue) shrink() {
	for q.bytes() > q.room {
		if pair := q.shortest(); pair != nil {
			if !q.addUp(pair) {
				return
			}
			continue
		}
		if largest := q.largest(); largest != nil {
			if !q.fold(largest) {
				return
			}
			continue
		}
		if !q.over {
			q.over = true
			q.log(fmt.Sprintf("%s has %d bytes, more than %d, and cannot be made smaller", q.dir, q.bytes(), q.room))
		}
		return
	}
	q.over = false
}

// shortest returns two neighbours of the same key that have the fewest intervals, the oldest such; nil if there are none.
func (q *queue) shortest() (pair []*entry) {
	before := make(map[string]*entry)
	fewest := 0
	for _, e := range q.entries {
		if e.busy || e.batch != nil {
			continue
		}
		if b := before[e.Key]; b != nil && (pair == nil || intervals(b, e) < fewest) {
			pair = []*entry{b, e}
			fewest = intervals(b, e)
		}
		before[e.Key] = e
	}
	return pair
}

// intervals returns of how many intervals the sum of two entries is. Halves of a batch are of the same ones.
func intervals(a, b *entry) int {
	if a.Start.Equal(b.Start) {
		return max(a.Intervals, b.Intervals)
	}
	return a.Intervals + b.Intervals
}

// largest returns the entry with the largest file of those that can be made smaller; nil if there is none.
func (q *queue) largest() *entry {
	var largest *entry
	for _, e := range q.entries {
		if !e.busy && e.batch == nil && !e.least && (largest == nil || e.size > largest.size) {
			largest = e
		}
	}
	return largest
}

// addUp makes one file of several of the same key. It reports whether there are fewer entries now.
func (q *queue) addUp(parts []*entry) bool {
	_, fewer := q.sumUp(parts)
	return fewer
}

// sumUp is addUp, and returns the entry of the sum, nil if there is none. Halves of a batch, which begin at the same time, are of
// the same intervals. These do not count twice.
func (q *queue) sumUp(parts []*entry) (e *entry, fewer bool) {
	before := len(q.entries)
	longest := make(map[int64]header) // by the time at which it begins
	var sum *push.Batch
	var replaces []string
	var read []*entry
	for _, e := range parts {
		b, err := q.load(e)
		if err != nil {
			q.setAside(e, err)
			continue
		}
		if sum == nil {
			sum = &b
		} else if *sum, err = sum.Add(b); err != nil {
			panic("BUG: " + err.Error()) // they have the same key
		}
		read = append(read, e)
		replaces = append(append(replaces, e.Replaces...), e.name)
		if at := e.Start.UnixNano(); e.Intervals > longest[at].Intervals {
			longest[at] = e.header
		}
	}
	if len(read) > 1 {
		intervals := 0
		sum.Duration = 0
		for _, h := range longest {
			intervals, sum.Duration = intervals+h.Intervals, sum.Duration+h.Duration
		}
		e = q.replace(read, *sum, intervals, replaces)
	}
	return e, len(q.entries) < before
}

// replace puts a batch in the place of entries that have files. If it cannot be written, all stays as it is, and there is no
// entry.
func (q *queue) replace(parts []*entry, b push.Batch, intervals int, replaces []string) *entry {
	e := &entry{header: headerOf(b, intervals, replaces), order: parts[0].order}
	for _, p := range parts {
		e.inherit(p)
	}
	if q.write(e, b) != nil {
		return nil // told when the next batch cannot be written either
	}
	for _, p := range parts {
		q.forget(p)
	}
	q.insert(e)
	return e
}

// fold adds the colder half of a batch's paths up. It reports whether that could be done.
func (q *queue) fold(e *entry) bool {
	b, err := q.load(e)
	if err != nil {
		return q.setAside(e, err)
	}
	samples := len(b.Profile.Sample)
	if samples <= 1 {
		e.least = true
		return true
	}
	b.Profile = push.Fold(b.Profile, samples/2, push.MaxBytes)
	return q.replace([]*entry{e}, b, e.Intervals, append(slices.Clone(e.Replaces), e.name)) != nil
}

// gather adds up what is too old for servers. The sum is going to be sent with the time of now, which one batch of a
// key can have. What the server did not take stays by itself, or it would keep others from it. So does what it may have, or more
// would count twice.
func (q *queue) gather(now time.Time) {
	stale := make(map[string][]*entry)
	var keys []string
	for _, e := range q.entries {
		if b := (push.Batch{Start: e.Start}); e.batch == nil && e.held == 0 && !e.doubtful && b.Stale(now) {
			if stale[e.Key] == nil {
				keys = append(keys, e.Key)
			}
			stale[e.Key] = append(stale[e.Key], e)
		}
	}
	for _, key := range keys {
		if len(stale[key]) > 1 {
			q.addUp(stale[key])
		}
	}
}
