// Package labels has what OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say of runs.
//
//	l := labels.Of(run)                 // service.name=shop, host.name=web1, deployment.environment=prod, …
//	l.Only(nil).Shared().String()       // "deployment.environment=prod"
//	l.Has(labels.Set{"host.name": "web1"})
package labels

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// A Set tells what a run is of, by the names that OpenTelemetry has for labels.
type Set map[string]string

// Labels that mean something here.
const (
	ServiceName = "service.name" // which every run has
	HostName    = "host.name"
)

// allowed are the labels that are kept of runs unless others are chosen: what a process is, and not which one.
var allowed = []string{
	ServiceName, "service.namespace", "service.version", "deployment.environment", "deployment.environment.name",
	HostName, "k8s.namespace.name",
}

// Of returns the labels that a run had when it started. Without a service it is called as its program is.
func Of(r *rundata.Run) Set {
	l := Parse(r.Attributes)
	switch {
	case r.Service != "":
		l[ServiceName] = r.Service
	case l[ServiceName] != "":
	case len(r.Args) > 0:
		l[ServiceName] = rundata.Program(r.Args)
	default:
		l[ServiceName] = "unknown_service"
	}
	return l
}

// ToldService returns the service that a run was told when it started, "" if it was told none.
func ToldService(r *rundata.Run) string { return cmp.Or(r.Service, Parse(r.Attributes).Service()) }

// Parse returns the labels in a list as OTEL_RESOURCE_ATTRIBUTES has them: key=value,key=value, with what would be taken for a
// part of the list percent-encoded.
func Parse(list string) Set {
	l := make(Set)
	for pair := range strings.SplitSeq(list, ",") {
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
	return l
}

// Service returns the name of the service.
func (l Set) Service() string { return l[ServiceName] }

// String returns the labels as OTEL_RESOURCE_ATTRIBUTES has them, by name.
func (l Set) String() string {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(l)) {
		pairs = append(pairs, name+"="+url.PathEscape(l[name]))
	}
	return strings.Join(pairs, ",")
}

// Only returns the labels with some names, and that of the service; without names, those that are kept unless others are chosen.
func (l Set) Only(names []string) Set {
	few := make(Set)
	for name, value := range l {
		if name == ServiceName || Kept(names, name) {
			few[name] = value
		}
	}
	return few
}

// Kept reports whether a label is kept where names are chosen; without names, whether it is unless others are chosen.
func Kept(names []string, name string) bool {
	if len(names) == 0 {
		names = allowed
	}
	return slices.Contains(names, name)
}

// Shared returns the labels that runs of several hosts may share: without those of the service and the host, which archives keep
// by themselves.
func (l Set) Shared() Set {
	shared := maps.Clone(l)
	delete(shared, ServiceName)
	delete(shared, HostName)
	return shared
}

// Has reports whether all labels of some are among l.
func (l Set) Has(some Set) bool {
	for name, value := range some {
		if got, ok := l[name]; !ok || got != value {
			return false
		}
	}
	return true
}
