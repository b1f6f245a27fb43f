package service

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// A stream is one kind of requests.
type stream struct {
	kind string
	rate float64 // requests a second
}

// streams are the four kinds: what is long is seldom.
var streams = []stream{{"report", 5}, {"product", 50}, {"search", 200}, {"price", 2000}}

// mostAtOnce bounds the requests that wait for their answers.
const mostAtOnce = 64

// requests returns how many requests there are in so many seconds, at least one.
func (s *stream) requests(seconds float64) int { return max(1, int(s.rate*seconds)) }

// generate sends the requests of all streams to an address, each at its time, and returns how many of each were
// answered. The number of requests is known before, so that runs in several modes do the same. If the service cannot
// keep up, requests are sent when it can. It is an error if not all are answered by the time that ctx has.
func generate(ctx context.Context, address string, seconds float64) (answered map[string]int, err error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: mostAtOnce}}
	defer client.CloseIdleConnections()
	g := &generator{client: client, address: address, room: make(chan bool, mostAtOnce), begin: time.Now()}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	counts := make([]atomic.Int64, len(streams))
	var wg sync.WaitGroup
	for i := range streams {
		wg.Go(func() { g.send(ctx, cancel, &streams[i], streams[i].requests(seconds), &counts[i]) })
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	answered = make(map[string]int)
	for i, s := range streams {
		answered[s.kind] = int(counts[i].Load())
	}
	return answered, nil
}

// A generator sends requests to one address.
type generator struct {
	client  *http.Client
	address string
	room    chan bool // has an element for each request that waits for its answer
	begin   time.Time
}

// send sends n requests of a stream, and counts those that are answered. It waits for the answers.
func (g *generator) send(ctx context.Context, cancel context.CancelCauseFunc, s *stream, n int, count *atomic.Int64) {
	var wg sync.WaitGroup
	defer wg.Wait()
	// Requests come at any time within their turns. At even distances they would come at the same phases of the kernel's clock:
	// 50 a second are five of its ticks apart. The kernel looks at timers of CPU time when its clock ticks. So these would see
	// some kinds of work always, and others never.
	random := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range n {
		at := g.begin.Add(time.Duration((float64(i) + random.Float64()) / s.rate * float64(time.Second)))
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Until(at)):
		}
		select {
		case <-ctx.Done():
			return
		case g.room <- true:
		}
		wg.Go(func() {
			defer func() { <-g.room }()
			if err := g.get(ctx, s.kind, i); err != nil {
				cancel(err)
				return
			}
			count.Add(1)
		})
	}
}

// get sends a request and reads its answer.
func (g *generator) get(ctx context.Context, kind string, i int) error {
	url := fmt.Sprintf("http://%s/%s?%d", g.address, kind, i)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	answer, err := g.client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, answer.Status)
	}
	return nil
}
