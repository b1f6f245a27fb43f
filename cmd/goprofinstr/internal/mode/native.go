package main

import (
	"fmt"
	"os"

	"github.com/goprofinstr/goprofinstr/rewrite/patch"
)

// The backends of wrap: how sampled probes are realised.
const (
	auto     = "auto"
	native   = "native"   // stores that are no-ops after linking, and calls in bursts
	portable = "portable" // compare and branch
)

// settleBackend decides on the backend.
func (w *wrap) settleBackend() error {
	f := &w.options
	switch f.backend {
	case auto, native, portable:
	default:
		return usagef("wrap: unknown -backend %q; use auto, native or portable", f.backend)
	}
	if f.mode != sampled {
		return nil
	}
	if f.backend == portable {
		return nil
	}
	why := w.tc.WhyNotNative(w.cmd)
	if why == "" {
		why = patch.WhyNot()
	}
	switch {
	case why == "":
		f.counting.Sampling.Native = true
	case f.backend == native:
		return usagef("wrap: no native probes: %s", why)
	default:
		fmt.Fprintf(os.Stderr, "goprofinstr: portable probes: %s\n", why)
	}
	return nil
}
