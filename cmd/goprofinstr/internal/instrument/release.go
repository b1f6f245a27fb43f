package instrument

import (
	"fmt"
	"go/version"
	"runtime"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite"
)

// newerGo returns a warning if packages were declined that do not type-check, and the likely
// reason is that this program was built with an older Go release, whose
// type checker and export data it has, than the one that it wraps.
func newerGo(packages []*rewrite.Package, wrapped string) string {
	return releaseWarning(countUnchecked(packages), runtime.Version(), wrapped)
}

// countUnchecked returns the number of packages that do not type-check.
func countUnchecked(packages []*rewrite.Package) int {
	n := 0
	for _, p := range packages {
		for _, f := range p.Table.Functions {
			if strings.HasPrefix(f.Declined, "does not type-check") {
				n++
				break
			}
		}
	}
	return n
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
