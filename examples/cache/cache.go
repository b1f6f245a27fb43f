package main

import (
	"container/list"
	"sync"
)

// A cache keeps the values that were asked for last. It is one shard of a server's cache.
//
// Its clock is the number of calls of get: an entry is valid for ttl of them. With real
// time no two runs of the example would count the same paths.
type cache struct {
	capacity int
	ttl      int
	load     func(key string) string // where values come from

	mu      sync.Mutex
	now     int
	entries map[string]*list.Element // of recent, by key
	recent  list.List                // of *entry, the one used last in front
	stats   stats
}

type entry struct {
	key, value string
	expires    int // the first time at which it is not valid any more
}

// stats counts what the calls of get did.
type stats struct {
	Hits, Refreshes, Misses, Expirations, Evictions int
}

func newCache(capacity, ttl int, load func(string) string) *cache {
	return &cache{
		capacity: capacity,
		ttl:      ttl,
		load:     load,
		entries:  make(map[string]*list.Element),
	}
}

// get returns the value of key, and whether it was in the cache.
func (c *cache) get(key string) (value string, hit bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now++
	at := c.entries[key]
	if at != nil && c.now >= at.Value.(*entry).expires {
		c.stats.Expirations++
		c.remove(at)
		at = nil
	}
	if at != nil {
		c.stats.Hits++
		c.recent.MoveToFront(at)
	} else {
		c.stats.Misses++
		if c.recent.Len() == c.capacity {
			c.stats.Evictions++
			c.remove(c.recent.Back())
		}
		at = c.recent.PushFront(&entry{key: key})
		c.entries[key] = at
	}
	e := at.Value.(*entry)
	// Loading again late in an entry's life saves the next caller a miss.
	if e.expires-c.now < c.ttl/4 {
		e.value = c.load(key)
		e.expires = c.now + c.ttl
	}
	return e.value, hit
}

// remove forgets the entry at an element of recent.
func (c *cache) remove(at *list.Element) {
	delete(c.entries, at.Value.(*entry).key)
	c.recent.Remove(at)
}
