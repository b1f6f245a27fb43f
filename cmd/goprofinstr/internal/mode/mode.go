package main

import (
	"math"
	"slices"
	"strconv"
	"strings"
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

// A mode is a way of counting that the user chooses with -mode.
type mode struct {
	name, usage string
	settle      func(*wrapFlags) error // reads the flags that are for it
}

// modes are all modes of wrap, in the order in which help shows them.
var modes = []mode{
	{exact, "count every path (the default for go test)", (*wrapFlags).settleMany},
	{sampled, `estimate from samples how often each was executed (the default for go build, run and
		install)`, (*wrapFlags).settleSampling},
	{stratified, `count every path of functions that have few, and of others one in 256 path ends of each of
		2048 groups, and estimate the rest`, (*wrapFlags).settleStream},
}

// modeNames returns "exact, sampled or stratified".
func modeNames() string {
	var names []string
	for _, m := range modes {
		names = append(names, m.name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// modeUsage is what help says of -mode: a line or more for each.
func modeUsage() string {
	var lines []string
	for _, m := range modes {
		lines = append(lines, m.name+": "+m.usage)
	}
	return strings.Join(lines, ";\n")
}

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
		if c.Verb != "test" && !f.counting.Atomic && f.kinds == "" {
			f.mode = sampled // programs run for long, and nobody wants to wait for them
		}
	}
	at := slices.IndexFunc(modes, func(m mode) bool { return m.name == f.mode })
	if at < 0 {
		return usagef("wrap: unknown -mode %q; use -mode %s", f.mode, modeNames())
	}
	if err := wrapCommand.refuseFlags(f.table(), f.set, c.Verb); err != nil {
		return err
	}
	if err := f.settleKinds(); err != nil {
		return err
	}
	return modes[at].settle(f)
}

func (f *wrapFlags) settleSampling() error {
	f.counting.Sampling.Policy = sampler.Default
	if f.sampler != "" {
		p, err := sampler.Parse(f.sampler)
		if _, inStrata := stream.Parse(f.sampler); err != nil && inStrata == nil {
			return usagef("wrap: -sampler %s is for -mode stratified; -mode sampled takes one like %v", f.sampler, sampler.Default)
		}
		if err != nil {
			return usagef("wrap: -%v", err)
		}
		f.counting.Sampling.Policy = p
	}
	percent := float64(defaultBudget)
	if f.budget != "" {
		var err error
		if percent, err = strconv.ParseFloat(f.budget, 64); err != nil || !(percent > 0 && percent <= 100) {
			return usagef("wrap: -cpu-budget %s: want a percentage of CPU time, above 0 and up to 100", f.budget)
		}
	}
	f.counting.Sampling.Budget = uint64(math.Ceil(percent * 10_000))
	f.counting.Sampling.Period = defaultPeriod
	if f.period != "" {
		d, err := time.ParseDuration(f.period)
		if err != nil || d < shortestPeriod || d > longestPeriod {
			return usagef("wrap: -period %s: want a time from %v to %v", f.period, shortestPeriod, longestPeriod)
		}
		f.counting.Sampling.Period = d
	}
	f.counting.Sampling.Frames = defaultFrames
	if f.frames != "" {
		n, err := strconv.ParseUint(f.frames, 10, 64)
		if err != nil || n > pcct.MostDepth {
			return usagef("wrap: -frames %s: want a number from 0 to %d", f.frames, pcct.MostDepth)
		}
		f.counting.Sampling.Frames = n
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
