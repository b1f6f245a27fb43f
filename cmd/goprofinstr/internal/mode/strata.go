package main

import (
	"strconv"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/instrument"
	"github.com/goprofinstr/goprofinstr/sampler"
	"github.com/goprofinstr/goprofinstr/sampler/stream"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
)

// defaultStrata is STRAT's choice: Sastry, Bodík & Smith, "Rapid profiling via stratified sampling".
const defaultStrata = "H[P256]2048"

// defaultCounted is how many paths a function may have to be counted where others are sampled in strata. RATIONALE.md has the instructions and the memory of other numbers.
const defaultCounted = 1 << 16

// settleStream reads the flags that are for -mode stratified.
func (f *wrapFlags) settleStream() (err error) {
	if f.sampler == "" {
		f.sampler = defaultStrata
	}
	if f.counting.Stream, err = parseStream(f.sampler); err != nil {
		return err
	}
	f.counting.Atomic = true // it loses no count of the paths that it counts
	f.counting.Stream.Counted, err = f.parseCounted(0)
	return err
}

// settleMany reads -sampler in -mode exact, where it is for functions that have many paths.
func (f *wrapFlags) settleMany() (err error) {
	switch {
	case f.sampler == "" && f.counted != "":
		return usagef("wrap: -count-up-to %s: say with -sampler how the paths of other functions are sampled, like -sampler %s", f.counted, defaultStrata)
	case f.sampler == "":
		return nil
	case f.perTest:
		return usagef("wrap: -per-test counts all paths: leave -sampler out")
	}
	if f.counting.Stream, err = parseStream(f.sampler); err != nil {
		return err
	}
	f.counting.Stream.PathsOnly = true
	f.counting.Stream.Counted, err = f.parseCounted(1)
	return err
}

// parseCounted reads -count-up-to, which is at least least.
func (f *wrapFlags) parseCounted(least uint64) (uint64, error) {
	if f.counted == "" {
		return defaultCounted, nil
	}
	n, err := strconv.ParseUint(f.counted, 10, 64)
	if err != nil || n < least || n > pathnum.MaxArray {
		return 0, usagef("wrap: -count-up-to %s: want a number from %d to %d", f.counted, least, pathnum.MaxArray)
	}
	return n, nil
}

func parseStream(text string) (instrument.Stream, error) {
	if _, err := sampler.Parse(text); err == nil {
		return instrument.Stream{}, usagef("wrap: -sampler %s is for -mode sampled; -mode exact and stratified take one like %s", text, defaultStrata)
	}
	spec, err := stream.Parse(text)
	if err != nil {
		return instrument.Stream{}, usagef("wrap: -%v", err)
	}
	return instrument.Stream{Text: text, Spec: spec}, nil
}
