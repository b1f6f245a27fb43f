package fleet

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/pprof/profile"
	pushv1 "github.com/grafana/pyroscope/api/gen/proto/go/push/v1"
)

// check returns why Pyroscope would refuse a series, by its defaults (pkg/validation/limits.go and validate.go, snapshot of
// 2026-08-21).
func check(series *pushv1.RawProfileSeries, now time.Time) (*profile.Profile, error) {
	if err := checkLabels(series); err != nil {
		return nil, err
	}
	if len(series.Samples) != 1 {
		return nil, errors.New("pushes are not atomic: one profile a request")
	}
	z, err := gzip.NewReader(bytes.NewReader(series.Samples[0].RawProfile))
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	if len(raw) > 4<<20 {
		return nil, fmt.Errorf("%d bytes", len(raw))
	}
	p, err := profile.ParseUncompressed(raw)
	if err != nil {
		return nil, err
	}
	return p, checkProfile(p, now)
}

func checkLabels(series *pushv1.RawProfileSeries) error {
	if len(series.Labels) > 30 {
		return fmt.Errorf("%d labels", len(series.Labels))
	}
	values := make(map[string]string)
	for _, l := range series.Labels {
		if _, twice := values[l.Name]; twice || !validName(l.Name) || len(l.Name) > 1024 || len(l.Value) > 2048 || !utf8.ValidString(l.Value) {
			return fmt.Errorf("label %q of %d bytes", l.Name, len(l.Value))
		}
		values[l.Name] = l.Value
	}
	if values["__name__"] == "" || values["service_name"] == "" {
		return fmt.Errorf("no name: %v", values)
	}
	return nil
}

// validName has the names that Prometheus takes. Pyroscope takes dots, too, and makes underscores of them.
func validName(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "" && (name[0] < '0' || name[0] > '9')
}

func checkProfile(p *profile.Profile, now time.Time) error {
	if age := now.Sub(time.Unix(0, p.TimeNanos)); age > time.Hour || age < -10*time.Minute {
		return fmt.Errorf("not in the ingestion window: %v old", age)
	}
	if len(p.Sample) > 16000 {
		return fmt.Errorf("%d samples", len(p.Sample))
	}
	for _, f := range p.Function {
		if !utf8.ValidString(f.Name) {
			return fmt.Errorf("invalid UTF-8: %q", f.Name)
		}
	}
	for _, s := range p.Sample {
		// These would be a series for each path, and numbers have made the pprof receiver of OpenTelemetry panic.
		if s.Label["path"] != nil || s.Label["edge"] != nil || len(s.NumLabel) > 0 {
			return fmt.Errorf("labels %v %v", s.Label, s.NumLabel)
		}
	}
	if p.PeriodType == nil || p.Period == 0 {
		return errors.New("no period type")
	}
	return nil
}

// largeProfile returns so many paths of one function, executed once more each, with so much to their names.
func largeProfile(paths, nameLength int) *profile.Profile {
	fn := &profile.Function{ID: 1, Name: "m.F", StartLine: 1}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "path_execs", Unit: "count"}, {Type: "flow", Unit: "count"}},
		Function:   []*profile.Function{fn},
		Location:   []*profile.Location{{ID: 1, Line: []profile.Line{{Function: fn, Line: 1}}}},
	}
	for i := range paths {
		leaf := &profile.Function{ID: uint64(i + 2), Name: fmt.Sprintf("m.F {path %d: %s}", i, strings.Repeat("x", nameLength)), StartLine: 1}
		location := &profile.Location{ID: leaf.ID, Line: []profile.Line{{Function: leaf, Line: 1}}}
		p.Function = append(p.Function, leaf)
		p.Location = append(p.Location, location)
		p.Sample = append(p.Sample, &profile.Sample{
			Location: []*profile.Location{location, p.Location[0]}, Value: []int64{int64(i + 1), int64(i + 1)},
			Label:    map[string][]string{"path": {"1→2"}},
			NumLabel: map[string][]int64{"path_id": {int64(i)}}, NumUnit: map[string][]string{"path_id": {"id"}},
		})
	}
	return p
}
