package agent

import (
	"bytes"
	"fmt"
	"io"
	"time"

	google "github.com/google/pprof/profile"

	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
	"github.com/goprofinstr/goprofinstr/export/pgo"
	"github.com/goprofinstr/goprofinstr/export/pprof"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// A kind is one of the profiles that are served.
type kind struct {
	name, about string
	encode      func(io.Writer, *profile.Profile) error
}

// kinds are all of them, by the names of their files in a profile directory.
var kinds = []kind{
	{"paths", "how often each path was executed, and its flow", pprof.WritePaths},
	{"edges", "how often each branch was taken", pprof.WriteEdges},
	{"calls", "how often each function was called, with CPU time where that was sampled", pprof.WriteCalls},
	{"pgo", "a profile for go build -pgo", pgo.Write},
}

// profilesOf returns the profiles of tallies, one for each build.
func (s *State) profilesOf(builds []*tally.Tally) (list []*profile.Profile, err error) {
	for _, b := range builds {
		p, err := b.Profile(s.follower.Tables())
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// write writes profiles as one. If they are of the last seconds, took says how many. What a comment says of all that was recorded
// is then not true of the profile.
func (k *kind) write(w io.Writer, profiles []*profile.Profile, took time.Duration) error {
	var list []*google.Profile
	for _, p := range profiles {
		var b bytes.Buffer
		if err := k.encode(&b, p); err != nil {
			return err
		}
		parsed, err := google.Parse(&b)
		if err != nil {
			return err
		}
		list = append(list, parsed)
	}
	if len(list) == 0 {
		empty, err := k.empty()
		if err != nil {
			return err
		}
		list = append(list, empty)
	}
	all, err := google.Merge(alike(list))
	if err != nil {
		return err
	}
	if took > 0 && len(profiles) > 0 {
		all.TimeNanos, all.DurationNanos = time.Now().Add(-took).UnixNano(), int64(took)
		all.Comments = []string{fmt.Sprintf("goprofinstr: %s counts of %s", profiles[0].Mode(), show.Round(took))}
	}
	return all.Write(w)
}

// empty returns a profile of nothing.
func (k *kind) empty() (*google.Profile, error) {
	p, err := new(profile.Tables).New(nil, nil)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := k.encode(&b, p); err != nil {
		return nil, err
	}
	return google.Parse(&b)
}

// alike gives all profiles the sample types of the one that has the most: the time of others is 0.
func alike(list []*google.Profile) []*google.Profile {
	most := list[0]
	for _, p := range list {
		if len(p.SampleType) > len(most.SampleType) {
			most = p
		}
	}
	for _, p := range list {
		missing := len(most.SampleType) - len(p.SampleType)
		p.SampleType = most.SampleType
		for _, s := range p.Sample {
			s.Value = append(s.Value, make([]int64, missing)...)
		}
	}
	return list
}
