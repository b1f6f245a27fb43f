package agent

import (
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// Labels tell what a run is of, by the names that OpenTelemetry has for them.
type Labels map[string]string

// ServiceName is the label that every run has.
const ServiceName = "service.name"

// LabelsOf returns the labels that a run had from OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES. Without a service it is
// called as its program is.
func LabelsOf(r *rundata.Run) Labels {
	l := make(Labels)
	for pair := range strings.SplitSeq(r.Attributes, ",") {
		name, value, ok := strings.Cut(pair, "=")
		if name = strings.TrimSpace(name); !ok || name == "" {
			continue
		}
		value = strings.TrimSpace(value)
		if decoded, err := url.PathUnescape(value); err == nil {
			value = decoded
		}
		l[name] = value
	}
	switch {
	case r.Service != "":
		l[ServiceName] = r.Service
	case l[ServiceName] != "":
	case len(r.Args) > 0:
		l[ServiceName] = filepath.Base(r.Args[0])
	default:
		l[ServiceName] = "unknown_service"
	}
	return l
}

// Service returns the name of the service.
func (l Labels) Service() string { return l[ServiceName] }

// String returns the labels as OTEL_RESOURCE_ATTRIBUTES has them, by name.
func (l Labels) String() string {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(l)) {
		pairs = append(pairs, name+"="+url.PathEscape(l[name]))
	}
	return strings.Join(pairs, ",")
}
