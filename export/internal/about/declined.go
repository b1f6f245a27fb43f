package about

import "github.com/goprofinstr/goprofinstr/export/profile"

// DeclinedByReason returns the declined functions in groups, largest first.
func DeclinedByReason(p *profile.Profile) []Group {
	return byReason(p, func(f *profile.Function) string { return f.Table.Declined })
}
