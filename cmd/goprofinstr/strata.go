package main

import (
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/instrument"
	"github.com/goprofinstr/goprofinstr/sampler"
	"github.com/goprofinstr/goprofinstr/sampler/stream"
)

// defaultStrata is STRAT's choice: Sastry, Bodík & Smith, "Rapid profiling via stratified sampling".
const defaultStrata = "H[P256]2048"

// settleStream reads the flags that are for -mode stratified.
func (f *wrapFlags) settleStream() (err error) {
	switch {
	case f.budget != "" || f.period != "" || f.frames != "":
		return usagef("wrap: -cpu-budget, -period and -frames are for -mode sampled; -mode stratified has no ticks")
	case f.perTest:
		return usagef("wrap: -per-test needs -mode exact; which test a sample is of would be chance")
	case f.atomic:
		return usagef("wrap: -atomic is for -mode exact; -mode stratified loses no count as it is")
	case f.coverprofile != "":
		return usagef("wrap: -coverprofile needs -mode exact")
	}
	if f.sampler == "" {
		f.sampler = defaultStrata
	}
	f.stream, err = parseStream(f.sampler)
	return err
}

// settleMany reads -sampler in -mode exact, where it is for functions that have too many paths for an array.
func (f *wrapFlags) settleMany() (err error) {
	switch {
	case f.sampler == "":
		return nil
	case f.perTest:
		return usagef("wrap: -per-test counts all paths: leave -sampler out")
	}
	f.stream, err = parseStream(f.sampler)
	f.stream.Many = true
	return err
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
