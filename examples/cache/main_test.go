package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestCache asks a cache for one key after the other. Comments give the clock.
func TestCache(t *testing.T) {
	const capacity, ttl = 2, 8
	tests := []struct {
		name string
		keys string // one byte each
		want stats
	}{
		{"miss", "ab", stats{misses: 2, loads: 2}},
		{"hit", "aa", stats{hits: 1, misses: 1, loads: 1}},
		{"evict", "abc", stats{misses: 3, evictions: 1, loads: 3}},
		// a is used after b, so that c takes the place of b.
		{"least recently used", "abaca", stats{hits: 2, misses: 3, evictions: 1, loads: 3}},
		// a is valid from 1 to 8, and refreshed at the first use from 7 on.
		{"before refresh", "abbbba", stats{hits: 4, misses: 2, loads: 2}},
		{"refresh", "abbbbba", stats{hits: 5, misses: 2, loads: 3}},
		{"refreshed", "aaaaaaaaaaaa", stats{hits: 11, misses: 1, loads: 2}},
		// b is refreshed at 8, and a expires at 9.
		{"expire", "abbbbbbba", stats{hits: 6, misses: 3, expirations: 1, loads: 4}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := newCache(capacity, ttl, valueOf)
			for _, key := range test.keys {
				if got, _ := c.get(string(key)); got != valueOf(string(key)) {
					t.Errorf("get(%c) = %q", key, got)
				}
			}
			if c.stats != test.want {
				t.Errorf("stats are %+v, want %+v", c.stats, test.want)
			}
			if len(c.entries) != c.recent.Len() || len(c.entries) > capacity {
				t.Errorf("%d entries, %d in order of use, capacity %d", len(c.entries), c.recent.Len(), capacity)
			}
		})
	}
}

func TestServer(t *testing.T) {
	web := httptest.NewServer(newServer().handler())
	defer web.Close()
	tests := []struct {
		path   string
		status int
		cache  string
	}{
		{"/0/k", http.StatusOK, "miss"},
		{"/0/k", http.StatusOK, "hit"},
		{"/1/k", http.StatusOK, "miss"}, // another shard
		{fmt.Sprintf("/%d/k", clients), http.StatusNotFound, ""},
		{"/-1/k", http.StatusNotFound, ""},
		{"/me/k", http.StatusNotFound, ""},
	}
	for _, test := range tests {
		resp, err := http.Get(web.URL + test.path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != test.status || resp.Header.Get("X-Cache") != test.cache {
			t.Errorf("GET %s: %s, X-Cache %q; want %d, %q",
				test.path, resp.Status, resp.Header.Get("X-Cache"), test.status, test.cache)
		}
		if test.status == http.StatusOK && string(body) != valueOf("k") {
			t.Errorf("GET %s: %q", test.path, body)
		}
	}
}

// BenchmarkRun serves all requests, again and again. The evaluation has it for a server that runs for long.
func BenchmarkRun(b *testing.B) {
	for b.Loop() {
		if _, err := run(); err != nil {
			b.Fatal(err)
		}
	}
}

// TestRun says that what the requests do does not depend on the order they arrive in.
func TestRun(t *testing.T) {
	got, err := run()
	if err != nil {
		t.Fatal(err)
	}
	var want stats
	for id := range clients {
		c := newCache(capacity, ttl, valueOf)
		for i := range requests {
			c.get(keyAt(id, i))
		}
		want.add(c.stats)
	}
	if got != want {
		t.Errorf("stats are %+v, want %+v", got, want)
	}
}
