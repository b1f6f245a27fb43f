package push

import (
	"context"
	"time"
)

// A Target is a server that takes batches. Its methods may be called from several goroutines.
type Target interface {
	// Push sends a prepared batch in one request. An error says why the outcome is not Delivered.
	Push(ctx context.Context, b Batch) (Outcome, error)

	// Close closes connections.
	Close()
}

// An Outcome is what has become of a request.
type Outcome struct {
	Verdict Verdict
	Reason  string        // why a batch was dropped, in a few words that are the same for the same reason
	Wait    time.Duration // how long the server wants to be left alone; 0 if it does not say

	// Doubtful is a request that was sent and has no answer: the server may have taken the batch.
	Doubtful bool
}

// A Verdict says what to do with a batch that was sent.
type Verdict int

const (
	Later     Verdict = iota // keep it: the server takes nothing now
	Held                     // keep it: the server does not take this one now, but perhaps others
	Delivered                // forget it: the server has it
	Dropped                  // forget it: the server will never take it
)
