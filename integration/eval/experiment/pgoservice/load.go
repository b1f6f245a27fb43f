package pgoservice

import (
	"bytes"
	"context"
	"fmt"
	"hash/maphash"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// connections is how many requests wait for their answers at a time. Instructions are counted with one, since who waits for
// whom is chance.
const connections = 4

// A load sends requests, and compares the answers of all services that it sends them to.
type load struct {
	client  *http.Client
	bodies  [][][]byte // by kind
	seed    maphash.Seed
	answers [][]atomic.Uint64 // hash of the answer to each body, 0 if it is not known yet
}

func newLoad() *load {
	l := &load{
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections}},
		bodies: requests(), seed: maphash.MakeSeed(),
	}
	for _, list := range l.bodies {
		l.answers = append(l.answers, make([]atomic.Uint64, len(list)))
	}
	return l
}

// A request is the body with a number, of a kind with a number.
type request struct{ kind, body int }

// ofKind returns n requests of a kind.
func ofKind(kind, n int) (list []request) {
	for i := range n {
		list = append(list, request{kind, i % bodies})
	}
	return list
}

// mixed returns n requests of each kind, one after the other.
func mixed(n int) (list []request) {
	for i := range n {
		for kind := range kinds {
			list = append(list, request{kind, i % bodies})
		}
	}
	return list
}

// send sends requests to an address, so many at a time, and returns how long it took until all were answered.
func (l *load) send(ctx context.Context, address string, atOnce int, list []request) (time.Duration, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var wg sync.WaitGroup
	begin := time.Now()
	for range atOnce {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(list)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				if err := l.post(ctx, address, list[i]); err != nil {
					cancel(err)
				}
			}
		})
	}
	wg.Wait()
	return time.Since(begin), context.Cause(ctx)
}

// post sends a request. Its answer must be what it was in the first build.
func (l *load) post(ctx context.Context, address string, r request) error {
	url := "http://" + address + "/" + kinds[r.kind].name
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(l.bodies[r.kind][r.body]))
	if err != nil {
		return err
	}
	answer, err := l.do(q)
	if err != nil {
		return fmt.Errorf("%s: %w", url, err)
	}
	hash, known := max(1, maphash.Bytes(l.seed, answer)), &l.answers[r.kind][r.body]
	if !known.CompareAndSwap(0, hash) && known.Load() != hash {
		return fmt.Errorf("%s, request %d: the answer is another one than before: %.200s", url, r.body, answer)
	}
	return nil
}

// do returns the answer to a request; one that is not OK is an error.
func (l *load) do(q *http.Request) ([]byte, error) {
	answer, err := l.client.Do(q)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %.200s", answer.Status, body)
	}
	return body, err
}
