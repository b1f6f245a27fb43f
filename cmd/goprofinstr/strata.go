package main

import (
	"math/bits"
	"regexp"
	"strconv"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/instrument"
)

// defaultStrata is STRAT's H[P256]2048.
const defaultStrata = "H[P256]2048"

var strataSpec = regexp.MustCompile(`^H\[P(\d+)\](\d+)$`)

// settleStream reads the flags that are for -mode stratified.
func (f *wrapFlags) settleStream() error {
	switch {
	case f.budget != "" || f.period != "" || f.frames != "":
		return usagef("wrap: -cpu-budget, -period and -frames are for -mode sampled; -mode stratified has no ticks")
	case f.perTest:
		return usagef("wrap: -per-test needs -mode exact; which test a message is of would be chance")
	case f.atomic:
		return usagef("wrap: -atomic is for -mode exact; -mode stratified loses no count as it is")
	case f.coverprofile != "":
		return usagef("wrap: -coverprofile needs -mode exact")
	}
	spec := f.sampler
	if spec == "" {
		spec = defaultStrata
	}
	m := strataSpec.FindStringSubmatch(spec)
	if m == nil {
		return usagef("wrap: -sampler %q", spec)
	}
	rate, _ := strconv.ParseUint(m[1], 10, 31)
	n, _ := strconv.ParseUint(m[2], 10, 32)
	f.stream = instrument.Stream{Spec: spec, Rate: rate, Bits: uint64(bits.TrailingZeros64(n))}
	return nil
}
