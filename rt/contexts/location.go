//go:build goprofinstr_std && goprofinstr_sampler

package contexts

import (
	"runtime"

	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// locations has those of addresses in code; for addresses + anyLine, of what a function was called from there for any line.
var locations [4096]struct {
	address U
	at      pcct.Ref
}

// anyLine is added to an address for the function there, at no line. Outermost is added for the one that others are inlined into.
const (
	anyLine   = 1 << 63
	outermost = 1 << 62
)

// locationOf returns the location of an address.
//
//go:norace
func locationOf(address U) pcct.Ref {
	known := &locations[(address^address>>12)%U(len(locations))]
	if known.address != address {
		known.address, known.at = address, resolve(address)
	}
	return known.at
}

// Location returns the location of an address in code. Probes are not in it.
//
//go:norace
func Location(address U) pcct.Ref {
	feed()
	return resolve(address)
}

// resolve returns the location of an address. Probes are not in it.
//
//go:norace
func resolve(address U) pcct.Ref {
	var funcs [pcct.MostFrames]runtime.GoprofinstrFunc
	var frames [pcct.MostFrames]pcct.Frame
	n := runtime.GoprofinstrFuncs(uintptr(address&^(anyLine|outermost)), funcs[:])
	if address&outermost != 0 && n > 0 {
		funcs[0], n = funcs[n-1], 1
	}
	probe := 0
	for i, f := range funcs[:n] {
		frames[i] = pcct.Frame{Name: sys.Text(f.Name, f.NameLen), File: sys.Text(f.File, f.FileLen), Line: f.Line, StartLine: f.StartLine}
		if i == probe && isProbe(frames[i].Name) {
			probe++ // and what it takes is the function's
		}
	}
	if address&anyLine != 0 && probe < n {
		frames[probe].Line = 0
	}
	return contexts.tree.Location(frames[probe:n])
}

// isProbe reports whether a function is one of package rt, or of one below it.
//
//go:norace
func isProbe(name string) bool {
	const prefix = "goprofinstr/rt"
	return len(name) > len(prefix) && name[:len(prefix)] == prefix && (name[len(prefix)] == '.' || name[len(prefix)] == '/')
}
