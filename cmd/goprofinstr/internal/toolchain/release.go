package toolchain

import (
	"fmt"
	"go/version"
	"runtime"
	"strconv"
	"strings"
)

// ReleaseTags returns the build tags of the toolchain's release, go1.1 and so on, or others if its version does not tell them.
func (tc *Toolchain) ReleaseTags(others []string) (tags []string) {
	minor, err := strconv.Atoi(strings.TrimPrefix(version.Lang(tc.GOVERSION), "go1."))
	if err != nil {
		return others
	}
	for i := range minor {
		tags = append(tags, fmt.Sprintf("go1.%d", i+1))
	}
	return tags
}

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
