package mode

import (
	"strconv"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/rewrite/method"
	"github.com/goprofinstr/goprofinstr/sampler"
	"github.com/goprofinstr/goprofinstr/sampler/stream"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
)

// defaultStrata is STRAT's choice: Sastry, Bodík & Smith, "Rapid profiling via stratified sampling".
const defaultStrata = "H[P256]2048"

// defaultCounted is how many paths a function may have to be counted where others are sampled in strata.
// docs/lab/strata.md has the instructions, and docs/design/strata.md the memory, of other numbers.
const defaultCounted = 1 << 16

// readStream reads the flags that are for -mode stratified.
func (f *Flags) readStream(o *method.Options) (err error) {
	text := f.sampler
	if text == "" {
		text = defaultStrata
	}
	if o.Stream, err = parseStream(text); err != nil {
		return err
	}
	o.Atomic = true // it loses no count of the paths that it counts
	o.Stream.Counted, err = f.parseCounted(0)
	return err
}

// readMany reads -sampler in -mode exact, where it is for functions that have many paths.
func (f *Flags) readMany(o *method.Options) (err error) {
	switch {
	case f.sampler == "" && f.counted != "":
		return usage.Errorf("-count-up-to %s: say with -sampler how the paths of other functions are sampled, "+
			"like -sampler %s", f.counted, defaultStrata)
	case f.sampler == "":
		return nil
	case f.perTest:
		return usage.Errorf("-per-test counts all paths: leave -sampler out")
	case f.iterations > 1:
		return usage.Errorf("-iterations 2 counts all paths: leave -sampler out")
	}
	if o.Stream, err = parseStream(f.sampler); err != nil {
		return err
	}
	o.Stream.PathsOnly = true
	o.Stream.Counted, err = f.parseCounted(1)
	return err
}

// parseCounted reads -count-up-to, which is at least least.
func (f *Flags) parseCounted(least uint64) (uint64, error) {
	if f.counted == "" {
		return defaultCounted, nil
	}
	n, err := strconv.ParseUint(f.counted, 10, 64)
	if err != nil || n < least || n > pathnum.MaxArray {
		return 0, usage.Errorf("-count-up-to %s: want a number from %d to %d", f.counted, least, pathnum.MaxArray)
	}
	return n, nil
}

// parseStream reads -sampler where events are sampled in strata.
func parseStream(text string) (method.Stream, error) {
	if _, err := sampler.Parse(text); err == nil {
		return method.Stream{}, usage.Errorf("-sampler %s is for -mode sampled; "+
			"-mode exact and stratified take one like %s", text, defaultStrata)
	}
	spec, err := stream.Parse(text)
	if err != nil {
		return method.Stream{}, usage.Errorf("-%v", err)
	}
	return method.Stream{Text: text, Spec: spec}, nil
}
