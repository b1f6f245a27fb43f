//go:build goprofinstr_std && goprofinstr_sampler && linux && amd64 && !goprofinstr_basic

package native

import "github.com/goprofinstr/goprofinstr/rt/runfile"

// The first byte of a site.
const (
	disarmed = 0x0f // of a no-op
	armed    = 0xe8 // of a call
)

// armAll arms all sites, or disarms them.
//
//go:norace
func armAll(to byte) { writeSites(nil, native.n, to) }

// arm arms some sites, or disarms them. In order of their addresses that is cheaper.
//
//go:norace
func arm(list []uint32, to byte) { writeSites(list, uintptr(len(list)), to) }

// writeSites writes the first byte of the first n sites of a list, or of all if that is nil.
//
//go:norace
func writeSites(list []uint32, n uintptr, to byte) {
	if native.off && to == armed {
		return
	}
	for i := uintptr(0); i < n; {
		r := textRun{begin: pageOf(native.site(listed(list, i)))}
		r.end = r.begin + runfile.Page
		j := i + 1
		for ; j < n; j++ {
			page := pageOf(native.site(listed(list, j)))
			if page < r.begin || page > r.end+gap*runfile.Page {
				break
			}
			r.end = max(r.end, page+runfile.Page)
		}
		if !openText(r) {
			return
		}
		for ; i < j; i++ {
			writeSite(native.site(listed(list, i)), to)
		}
		closeText(r)
	}
}

// listed returns the number of a site in a list, which is nil for that of all.
//
//go:norace
func listed(list []uint32, i uintptr) uintptr {
	if list == nil {
		return i
	}
	return uintptr(list[i])
}
