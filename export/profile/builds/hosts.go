package builds

import (
	"net/url"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// hostAttribute is what OpenTelemetry's semantic conventions call the name of a host.
const hostAttribute = "host.name"

// hosts returns the hosts of runs, each once, as far as they have said.
func hosts(runs []*rundata.Run) (names []string) {
	for _, r := range runs {
		if name := attribute(r.Attributes, hostAttribute); name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// attribute returns the value of a key in a list as OTEL_RESOURCE_ATTRIBUTES has it, key=value,key=value with what
// would be taken for a part of the list percent-encoded; "" if there is none.
func attribute(list, key string) string {
	for item := range strings.SplitSeq(list, ",") {
		name, value, _ := strings.Cut(item, "=")
		if strings.TrimSpace(name) != key {
			continue
		}
		value = strings.TrimSpace(value)
		if decoded, err := url.PathUnescape(value); err == nil {
			return decoded
		}
		return value
	}
	return ""
}
