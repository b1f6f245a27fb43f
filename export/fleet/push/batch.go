package push

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/profile"
)

// Names of profiles. Pyroscope has them as __name__, or takes them from the period type.
const (
	Paths = "goprofinstr_paths"
	Calls = "goprofinstr_calls"
	Edges = "goprofinstr_edges"
)

// A Batch is what one interval has added to the counts of all processes with the same labels and tables.
type Batch struct {
	Name   string            // Paths, Calls or Edges
	Labels map[string]string // service_name and what else is allowed; names have letters, digits, underscores and dots
	Tables string            // hash of the path tables: which build it is

	// Seq tells batches apart that are added again after a crash: a spool ignores those up to the last one that it
	// has. 0 is a batch without a number.
	Seq uint64

	// ID is the same whenever the same batch is sent again, so that a server could tell. Spools give it.
	ID string

	Start    time.Time
	Duration time.Duration
	Profile  *profile.Profile
}

// Key is the same for batches that can be added up: those of the same name, labels, tables and sample types.
func (b Batch) Key() string {
	parts := []string{b.Name, b.Tables}
	for _, t := range b.Profile.SampleType {
		parts = append(parts, t.Type, t.Unit)
	}
	for _, name := range slices.Sorted(maps.Keys(b.Labels)) {
		parts = append(parts, name, b.Labels[name])
	}
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%q", parts)))[:32]
}

// Add returns the sum of two prepared batches with the same Key, the earlier one first. It is within the limits, too.
func (b Batch) Add(c Batch) (Batch, error) {
	if b.Key() != c.Key() {
		return Batch{}, fmt.Errorf("batches of %s and %s with other labels, tables or values cannot be added up", b.Name, c.Name)
	}
	sum, err := profile.Merge([]*profile.Profile{b.Profile, c.Profile})
	if err != nil {
		return Batch{}, err
	}
	b.Profile = Fold(sum, MaxSamples, MaxBytes)
	b.Seq = max(b.Seq, c.Seq)
	b.ID = ""
	if c.Start.Before(b.Start) {
		b.Start = c.Start
	}
	b.Duration += c.Duration
	return b, nil
}

// Part returns a batch with the samples from one index up to another.
func (b Batch) Part(from, to int) Batch {
	part := b.Profile.Copy()
	part.Sample = part.Sample[from:to]
	p, err := profile.Merge([]*profile.Profile{part}) // leaves out what they do not refer to
	if err != nil {
		panic("BUG: " + err.Error())
	}
	b.Profile, b.ID = p, ""
	return b
}

// MaxAge is how old the start of a batch may be when it is sent. Servers refuse what is an hour old; half of it is left
// for queues on the way.
const MaxAge = 30 * time.Minute

// Stale reports whether servers may refuse the time of a batch: it is too old, or the clock has been set back.
func (b Batch) Stale(now time.Time) bool {
	return b.Start.Before(now.Add(-MaxAge)) || b.Start.After(now)
}

// Stamp returns the batch as if it had ended now, if it is stale. What it covers may be longer than what servers take,
// so the duration is cut.
func (b Batch) Stamp(now time.Time) Batch {
	if b.Stale(now) {
		b.Duration = min(b.Duration, MaxAge)
		b.Start = now.Add(-b.Duration)
	}
	return b
}

// Totals returns the sum of each sample type, in words for people and tests: "path_execs/count 17".
func (b Batch) Totals() string {
	sums := make([]int64, len(b.Profile.SampleType))
	for _, s := range b.Profile.Sample {
		for i, v := range s.Value {
			sums[i] += v
		}
	}
	var text []string
	for i, t := range b.Profile.SampleType {
		text = append(text, fmt.Sprintf("%s/%s %d", t.Type, t.Unit, sums[i]))
	}
	return strings.Join(text, ", ")
}
