package instrument

import (
	"fmt"
	"go/version"
	"runtime"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// newerGo returns a warning if packages were declined that do not parse or type-check, and the likely
// reason is that this program was built with an older Go release, whose
// parser and type checker it has, than the one that it wraps.
func newerGo(b *load.Build, packages []*rewrite.Package, wrapped string) string {
	unchecked := b.Unparsed
	for _, p := range packages {
		if slices.ContainsFunc(p.Table.Functions, isUnchecked) {
			unchecked++
		}
	}
	return releaseWarning(unchecked, runtime.Version(), wrapped)
}

func isUnchecked(f table.Function) bool { return strings.HasPrefix(f.Declined, "does not type-check") }

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
