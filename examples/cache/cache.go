package main

import (
	"container/list"
	"sync"
)

// A cache keeps the values that were asked for last, each for a limited time.
//
// Its clock counts the calls of get, and an entry is valid for ttl of them. By a real clock no two runs of the
// example would take the same paths.
type cache struct {
	capacity int
	ttl      int
	load     func(key string) string // where values come from

	mu      sync.Mutex
	now     int
	entries map[string]*list.Element // the elements of recent by key
	recent  list.List                // of *entry, the last used in front
	stats   stats
}

type entry struct {
	key, value string
	expires    int // when it stops being valid
}

// stats counts what calls of get did. One call can do several of these.
type stats struct {
	hits, misses, expirations, evictions, loads int
}

func (s *stats) add(o stats) {
	s.hits += o.hits
	s.misses += o.misses
	s.expirations += o.expirations
	s.evictions += o.evictions
	s.loads += o.loads
}

func newCache(capacity, ttl int, load func(string) string) *cache {
	return &cache{
		capacity: capacity,
		ttl:      ttl,
		load:     load,
		entries:  make(map[string]*list.Element),
	}
}

// get returns the value of key and whether it was in the cache.
func (c *cache) get(key string) (value string, hit bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now++
	at, hit := c.entries[key]
	if hit && c.now >= at.Value.(*entry).expires {
		c.stats.expirations++
		c.remove(at)
		hit = false
	}
	if hit {
		c.stats.hits++
		c.recent.MoveToFront(at)
	} else {
		c.stats.misses++
		if c.recent.Len() == c.capacity {
			c.stats.evictions++
			c.remove(c.recent.Back())
		}
		at = c.recent.PushFront(&entry{key: key})
		c.entries[key] = at
	}
	e := at.Value.(*entry)
	// A new entry has expired already. An old one is loaded again in the last
	// quarter of its life, so that keys in use do not expire.
	if e.expires-c.now <= c.ttl/4 {
		c.stats.loads++
		e.value = c.load(key)
		e.expires = c.now + c.ttl
	}
	return e.value, hit
}

// remove takes the entry at an element of c.recent out of the cache.
func (c *cache) remove(at *list.Element) {
	delete(c.entries, at.Value.(*entry).key)
	c.recent.Remove(at)
}
