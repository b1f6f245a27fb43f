package strata

import "github.com/goprofinstr/goprofinstr/rt/sys"

var FinishFeeding = finishFeeding

// ForgetFeeding has there be no compressors.
func ForgetFeeding() { feeding, finished, streaming = [feeders]feeder{}, 0, false }

// EnterFeeder has a thread be in a compressor until it calls leave. It has the time for that.
func EnterFeeder() (leave func()) {
	mostTries = 1 << 30
	busy := &feeding[feeders-1].busy
	sys.Store64(busy, 1)
	return func() { sys.Store64(busy, 0) }
}
