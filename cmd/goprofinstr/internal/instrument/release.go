package instrument

import (
	"fmt"
	"go/version"
	"runtime"
)

// newerGo returns a warning if packages were declined that do not parse, as unparsed ones, or type-check, and the likely
// reason is that this program was built with an older Go release, whose
// parser and type checker it has, than the one that it wraps.
func newerGo(unparsed int, packages []*result, wrapped string) string {
	for _, p := range packages {
		if p.Unchecked {
			unparsed++
		}
	}
	return releaseWarning(unparsed, runtime.Version(), wrapped)
}

func releaseWarning(unchecked int, own, wrapped string) string {
	if unchecked == 0 || !version.IsValid(own) || !version.IsValid(wrapped) ||
		version.Compare(version.Lang(own), version.Lang(wrapped)) >= 0 {
		return ""
	}
	noun := "packages are"
	if unchecked == 1 {
		noun = "package is"
	}
	return fmt.Sprintf("%d %s declined, because goprofinstr was built with %s and does not understand %s; build it again with that release",
		unchecked, noun, own, wrapped)
}
