package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/examples/internal/pathtest"
)

// A way is what one call of get does.
type way struct {
	found   bool // the key had an entry
	expired bool // which was not valid any more
	evicts  bool
	loads   bool
}

// waysOf returns how often each way is taken for the requests of one client. It is a
// cache of another make, without lists: all it knows of a key is two times.
func waysOf(client int) map[way]int64 {
	ways := make(map[way]int64)
	used, loaded := make(map[string]int), make(map[string]int)
	for i := range requests {
		now, key := i+1, keyAt(client, i)
		var w way
		_, w.found = used[key]
		w.expired = w.found && now-loaded[key] >= ttl
		if !w.found && len(used) == capacity {
			w.evicts = true
			oldest := ""
			for k := range used {
				if oldest == "" || used[k] < used[oldest] {
					oldest = k
				}
			}
			delete(used, oldest)
		}
		w.loads = !w.found || now-loaded[key] >= ttl-ttl/4
		if w.loads {
			loaded[key] = now
		}
		used[key] = now
		ways[w]++
	}
	return ways
}

func TestPaths(t *testing.T) {
	run := pathtest.Wrap(t, "-atomic")

	src := pathtest.ReadSource(t, "cache.go")
	lines := func(w way) []int {
		lines := []int{src.Line(t, "c.mu.Lock()")}
		if w.found {
			// The second operand of && is a block too.
			lines = append(lines, src.Line(t, "if hit && c.now >= at.Value.(*entry).expires {"))
		}
		if w.expired {
			lines = append(lines, src.Line(t, "c.stats.expirations++"))
		}
		lines = append(lines, src.Line(t, "if hit {"))
		if w.found && !w.expired {
			lines = append(lines, src.Line(t, "c.stats.hits++"))
		} else {
			lines = append(lines, src.Line(t, "c.stats.misses++"))
			if w.evicts {
				lines = append(lines, src.Line(t, "c.stats.evictions++"))
			}
			lines = append(lines, src.Line(t, "at = c.recent.PushFront(&entry{key: key})"))
		}
		lines = append(lines, src.Line(t, "e := at.Value.(*entry)"))
		if w.loads {
			lines = append(lines, src.Line(t, "c.stats.loads++"))
		}
		return append(lines, src.Line(t, "return e.value, hit"))
	}

	want := make(map[string]int64)
	for id := range clients {
		for w, n := range waysOf(id) {
			want[pathtest.Path("entry", lines(w), "return")] += n
		}
	}
	if diff := cmp.Diff(want, run.Paths(t, "(*cache).get")); diff != "" {
		t.Errorf("paths of get, -want +got:\n%s", diff)
	}
	run.CheckReadme(t, want)
}
