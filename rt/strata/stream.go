package strata

import "github.com/goprofinstr/goprofinstr/rt/runfile"

var streaming bool

// UseStream is called before the first Register of a program whose events are sampled in 2^bits strata, at a rate. Spec is what
// the user calls that. It returns 0.
//
//go:norace
func UseStream(spec string, rate, bits U) U {
	if !streaming { // packages are initialised one after the other
		streaming = true
		runfile.OpenStream(spec, rate, bits, &strata[0])
	}
	return 0
}
