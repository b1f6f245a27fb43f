package main

import (
	"math"
	"strconv"
	"time"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/sampler"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
	"github.com/goprofinstr/goprofinstr/sampler/stream"
)

// The modes of wrap.
const (
	exact      = "exact"
	sampled    = "sampled"
	stratified = "stratified"
)

// defaultBudget is how much CPU time sampling may take, in percent.
const defaultBudget = 1

// defaultFrames is how many new frames of a calling context a sample may find: all that the runtime looks at.
const defaultFrames = pcct.MostDepth

// Linux has timers of CPU time expire on ticks of its own, 250 times a second or so. PEP has 20 ms.
const (
	defaultPeriod  = 10 * time.Millisecond
	shortestPeriod = 4 * time.Millisecond
	longestPeriod  = time.Second
)

// settleMode decides on the mode, and reads the flags that are for one.
func (f *wrapFlags) settleMode(c *gocmd.Command) error {
	if f.mode == "" {
		f.mode = exact
		if c.Verb != "test" && !f.atomic && f.kinds == "" { // programs run for long, and nobody wants to wait for them
			f.mode = sampled
		}
	}
	if err := f.settleKinds(); err != nil {
		return err
	}
	switch f.mode {
	case exact:
		if f.budget != "" || f.period != "" || f.frames != "" {
			return usagef("wrap: -cpu-budget, -period and -frames are for -mode sampled")
		}
		return f.settleMany()
	case sampled:
		return f.settleSampling()
	case stratified:
		return f.settleStream()
	}
	return usagef("wrap: unknown -mode %q; use -mode exact, sampled or stratified", f.mode)
}

func (f *wrapFlags) settleSampling() error {
	switch {
	case f.perTest:
		return usagef("wrap: -per-test needs -mode exact; which test a sample is of would be chance")
	case f.atomic:
		return usagef("wrap: -atomic is for -mode exact; samples are never lost")
	case f.coverprofile != "":
		return usagef("wrap: -coverprofile needs -mode exact")
	case f.counted != "":
		return usagef("wrap: -count-up-to is for -mode stratified and exact; -mode sampled counts nothing")
	}
	f.sampling.Policy = sampler.Default
	if f.sampler != "" {
		p, err := sampler.Parse(f.sampler)
		if _, inStrata := stream.Parse(f.sampler); err != nil && inStrata == nil {
			return usagef("wrap: -sampler %s is for -mode stratified; -mode sampled takes one like %v", f.sampler, sampler.Default)
		}
		if err != nil {
			return usagef("wrap: -%v", err)
		}
		f.sampling.Policy = p
	}
	percent := float64(defaultBudget)
	if f.budget != "" {
		var err error
		if percent, err = strconv.ParseFloat(f.budget, 64); err != nil || !(percent > 0 && percent <= 100) {
			return usagef("wrap: -cpu-budget %s: want a percentage of CPU time, above 0 and up to 100", f.budget)
		}
	}
	f.sampling.Budget = uint64(math.Ceil(percent * 10_000))
	f.sampling.Period = defaultPeriod
	if f.period != "" {
		d, err := time.ParseDuration(f.period)
		if err != nil || d < shortestPeriod || d > longestPeriod {
			return usagef("wrap: -period %s: want a time from %v to %v", f.period, shortestPeriod, longestPeriod)
		}
		f.sampling.Period = d
	}
	f.sampling.Frames = defaultFrames
	if f.frames != "" {
		n, err := strconv.ParseUint(f.frames, 10, 64)
		if err != nil || n > pcct.MostDepth {
			return usagef("wrap: -frames %s: want a number from 0 to %d", f.frames, pcct.MostDepth)
		}
		f.sampling.Frames = n
	}
	return nil
}

// takesCover reports as an error that there can be no coverage: it takes exact counts of all paths.
func (f *wrapFlags) takesCover() error {
	switch {
	case f.mode != exact:
		return usagef("wrap: coverage needs -mode exact")
	case f.sampler != "":
		return usagef("wrap: coverage needs exact counts of all paths: leave -sampler out")
	}
	return nil
}
