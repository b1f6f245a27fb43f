// Cache runs an HTTP server that answers from a cache, and the clients that load it,
// and prints what the cache did.
//
// Requests of different clients are served at the same time in any order, but the counts
// are the same in each run. Every client has a shard of the cache of its own, and asks
// for its next key when it has the answer to the last.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"sync"
)

// The test computes from these what every request does.
const (
	clients  = 4
	requests = 500 // of each client
	capacity = 12  // of each shard
	ttl      = 24
)

// keyAt returns the key that a client asks for in its i-th request. A square modulo
// a prime has some keys come often and close together, and others rarely or far apart.
func keyAt(client, i int) string {
	prime := []int{29, 37, 41, 101}[client]
	if i%50 < 10 {
		return "scan" + strconv.Itoa(i) // never asked for again
	}
	return strconv.Itoa(i * i % prime % 16)
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("cache: ")
	total, err := run()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d requests: %d hits, %d misses\n", total.hits+total.misses, total.hits, total.misses)
	fmt.Printf("%d expirations, %d evictions, %d loads\n", total.expirations, total.evictions, total.loads)
}

// run serves all requests of all clients and returns the sum of the shards' statistics.
func run() (stats, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return stats{}, err
	}
	s := newServer()
	web := &http.Server{Handler: s.handler()}
	served := make(chan error, 1)
	go func() { served <- web.Serve(listener) }()

	errs := make([]error, clients)
	var wg sync.WaitGroup
	for id := range clients {
		wg.Go(func() { errs[id] = client("http://"+listener.Addr().String(), id) })
	}
	wg.Wait()

	errs = append(errs, web.Shutdown(context.Background()))
	if err := <-served; err != http.ErrServerClosed {
		errs = append(errs, err)
	}
	return s.stats(), errors.Join(errs...)
}

// client asks the server at url for all keys of one client and checks the answers.
func client(url string, id int) error {
	for i := range requests {
		key := keyAt(id, i)
		resp, err := http.Get(fmt.Sprintf("%s/%d/%s", url, id, key))
		if err != nil {
			return err
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return err
		}
		if want := valueOf(key); resp.StatusCode != http.StatusOK || string(body) != want {
			return fmt.Errorf("client %d: key %s: %s: got %q, want %q", id, key, resp.Status, body, want)
		}
	}
	return nil
}

// A server answers GET /client/key from the client's shard.
type server struct {
	shards []*cache
}

func newServer() *server {
	s := &server{}
	for range clients {
		s.shards = append(s.shards, newCache(capacity, ttl, valueOf))
	}
	return s
}

// valueOf stands for the slow store that the cache is in front of.
func valueOf(key string) string {
	return "value of " + key
}

func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{client}/{key}", s.get)
	return mux
}

func (s *server) get(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.Atoi(r.PathValue("client"))
	if err != nil || id < 0 || id >= len(s.shards) {
		http.Error(w, "no such client", http.StatusNotFound)
		return
	}
	value, hit := s.shards[id].get(r.PathValue("key"))
	if hit {
		w.Header().Set("X-Cache", "hit")
	} else {
		w.Header().Set("X-Cache", "miss")
	}
	io.WriteString(w, value)
}

// stats returns the sum over all shards. No request may be under way.
func (s *server) stats() stats {
	var sum stats
	for _, c := range s.shards {
		sum.add(c.stats)
	}
	return sum
}
