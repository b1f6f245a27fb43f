package toolchain

import (
	"fmt"
	"go/version"
	"runtime"
)

// IsNewer reports whether a go command is of a release whose language this program does not know: it has the parser
// and the type checker of the release that it was built with.
func IsNewer(wrapped string) bool { return isNewer(wrapped, runtime.Version()) }

func isNewer(wrapped, own string) bool {
	return version.IsValid(own) && version.IsValid(wrapped) &&
		version.Compare(version.Lang(own), version.Lang(wrapped)) < 0
}

// ReleaseWarning returns a warning if packages were declined that do not parse or type-check, and the likely
// reason is that this program was built with an older Go release than the one that it wraps.
func ReleaseWarning(unchecked int, wrapped string) string {
	return releaseWarning(unchecked, runtime.Version(), wrapped)
}

func releaseWarning(unchecked int, own, wrapped string) string {
	if unchecked == 0 || !isNewer(wrapped, own) {
		return ""
	}
	noun := "packages are"
	if unchecked == 1 {
		noun = "package is"
	}
	return fmt.Sprintf("%d %s declined, because goprofinstr was built with %s and does not understand %s; "+
		"build it again with that release",
		unchecked, noun, own, wrapped)
}
