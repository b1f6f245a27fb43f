package push

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/pprof/profile"
)

// Limits of Pyroscope for the labels of a series, which the labels of samples become part of.
const (
	MaxLabels = 30
	MaxValue  = 2048 // bytes
	maxName   = 1024 // bytes
)

// ownLabels is how many labels there are besides. These are the name of the profile and the hash of the tables. Pyroscope adds
// three to profiles by OTLP: __delta__, __otel__ and the name of the service a second time.
const ownLabels = 5

// ServiceName is the label that all batches have.
const ServiceName = "service_name"

// unknownService is what OpenTelemetry calls a service whose name is not known. Pyroscope demands one.
const unknownService = "unknown_service"

// never are labels that would make a series of each process or path. Labels of goroutines with these names are left out, too.
var never = []string{"pid", "process.pid", "process_pid", "path", "path_id", "edge_id", "branches"}

// limitLabels returns the labels of a batch, and leaves labels of samples in its profile, as they fit in the limits. The service
// comes first, then others of the batch by name, then those of samples. What does not fit is left out, and long values are cut.
func limitLabels(labels map[string]string, p *profile.Profile) map[string]string {
	kept := map[string]string{ServiceName: unknownService}
	for _, old := range slices.Sorted(maps.Keys(labels)) {
		name, value := validName(old), cut(labels[old], MaxValue)
		if name == "service.name" {
			name = ServiceName
		}
		_, taken := kept[name]
		if value == "" || slices.Contains(never, name) || taken && name != ServiceName {
			continue
		}
		if taken || len(kept) < MaxLabels-ownLabels {
			kept[name] = value
		}
	}
	limitSampleLabels(p, kept)
	return kept
}

// limitSampleLabels leaves as many labels of samples as there is room for beside those of the batch. A label that the batch
// has, too, would be one twice.
func limitSampleLabels(p *profile.Profile, taken map[string]string) {
	names := make(map[string]bool)
	for _, s := range p.Sample {
		for name := range s.Label {
			names[name] = true
		}
	}
	renamed := make(map[string]string)
	used := maps.Clone(taken)
	for _, old := range slices.Sorted(maps.Keys(names)) {
		name := validName(old)
		if _, twice := used[name]; !twice && !slices.Contains(never, name) && len(used) < MaxLabels-ownLabels {
			used[name] = ""
			renamed[old] = name
		}
	}
	for _, s := range p.Sample {
		kept := make(map[string][]string)
		for old, values := range s.Label {
			if name := renamed[old]; name != "" && len(values) > 0 && values[0] != "" {
				kept[name] = []string{cut(values[0], MaxValue)}
			}
		}
		s.Label = kept
	}
}

// validName returns a name of letters, digits, underscores and dots, which does not begin with a digit. Names
// that begin with two underscores are the server's own.
func validName(name string) string {
	valid := strings.Map(func(r rune) rune {
		if r == '.' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, cut(name, maxName-1))
	if strings.HasPrefix(valid, "__") {
		valid = strings.TrimLeft(valid, "_")
	}
	if valid == "" || '0' <= valid[0] && valid[0] <= '9' || valid[0] == '.' {
		valid = "_" + valid
	}
	return valid
}

// PrometheusName returns the name of a label as Prometheus has it, which is without dots.
func PrometheusName(name string) string { return strings.ReplaceAll(name, ".", "_") }

// PrometheusLabels returns labels by their names as Prometheus has them. Of labels that get the same name the values are joined
// by semicolons, in order of the names before, as OpenTelemetry's specification has it for Prometheus. So none is lost but what
// is longer than MaxValue.
func PrometheusLabels(labels map[string]string) map[string]string {
	renamed := make(map[string]string)
	for _, old := range slices.Sorted(maps.Keys(labels)) {
		name, value := PrometheusName(old), labels[old]
		if before, twice := renamed[name]; twice {
			value = cut(before+";"+value, MaxValue)
		}
		renamed[name] = value
	}
	return renamed
}

// cut returns a text of at most n bytes, valid UTF-8.
func cut(text string, n int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
