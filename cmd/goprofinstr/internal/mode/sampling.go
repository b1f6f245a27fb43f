package mode

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/rewrite/method"
	"github.com/goprofinstr/goprofinstr/sampler"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
	"github.com/goprofinstr/goprofinstr/sampler/stream"
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

// readSampling reads the flags that are for -mode sampled.
func (f *Flags) readSampling(o *method.Options) (err error) {
	s := &o.Sampling
	if s.Policy, err = f.parsePolicy(); err != nil {
		return err
	}
	percent := float64(defaultBudget)
	if f.budget != "" {
		if percent, err = strconv.ParseFloat(f.budget, 64); err != nil || !(percent > 0 && percent <= 100) {
			return usage.Errorf("-cpu-budget %s: want a percentage of CPU time, above 0 and up to 100", f.budget)
		}
	}
	s.Budget = uint64(math.Ceil(percent * 10_000))
	s.Period = defaultPeriod
	if f.period != "" {
		s.Period, err = time.ParseDuration(f.period)
		if err != nil || s.Period < shortestPeriod || s.Period > longestPeriod {
			return usage.Errorf("-period %s: want a time from %v to %v", f.period, shortestPeriod, longestPeriod)
		}
	}
	s.Frames = defaultFrames
	if f.frames != "" {
		s.Frames, s.Marks, err = parseFrames(f.frames)
	}
	return err
}

// parseFrames reads -frames.
func parseFrames(text string) (frames uint64, marks bool, err error) {
	number, with, more := strings.Cut(text, ",")
	frames, err = strconv.ParseUint(number, 10, 64)
	switch {
	case err != nil || frames > pcct.MostDepth || more && with != "marks":
		err = usage.Errorf("-frames %s: want a number from 0 to %d, and ,marks behind it or not", text, pcct.MostDepth)
	case more && frames == 0:
		err = usage.Errorf("-frames %s: without contexts there is nothing to mark", text)
	}
	return frames, more, err
}

// parsePolicy reads -sampler in -mode sampled.
func (f *Flags) parsePolicy() (sampler.Policy, error) {
	if f.sampler == "" {
		return sampler.Default, nil
	}
	p, err := sampler.Parse(f.sampler)
	if err == nil {
		return p, nil
	}
	if _, inStrata := stream.Parse(f.sampler); inStrata == nil {
		return p, usage.Errorf("-sampler %s is for -mode stratified; -mode sampled takes one like %v",
			f.sampler, sampler.Default)
	}
	return p, usage.Errorf("-%v", err)
}
