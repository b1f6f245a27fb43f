package emit

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rt"
)

// importName returns what a package of the runtime is called in rewritten code: gpi_rt, or gpi_exact for rt/exact.
func (n *Names) importName(below string) string {
	if below == "" {
		return n.Prefix + path.Base(rt.ImportPath)
	}
	return n.Prefix + below
}

// Sprintf formats code. A name that the runtime declares stands behind a $ in the format, with its package if that is
// not package rt: "$exact.Exact(%s)" becomes "gpi_exact.Exact(…)".
func (n *Names) Sprintf(format string, args ...any) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(format, "$")
		b.WriteString(before)
		if !found {
			return fmt.Sprintf(b.String(), args...)
		}
		below := after[:lowerCase(after)]
		if below != "" {
			n.mention(below)
			after = after[len(below)+len("."):]
		}
		b.WriteString(n.importName(below) + ".")
		format = after
	}
}

// lowerCase returns the length of the package's name that s begins with: names that it declares begin with a capital.
func lowerCase(s string) int {
	return strings.IndexFunc(s, func(r rune) bool { return r < 'a' || 'z' < r })
}

// mention has files that mention a package import it.
func (n *Names) mention(below string) {
	if n.below == nil {
		n.below = make(map[string]bool)
	}
	n.below[below] = true
}

// Imports returns the imports of a file: of package rt, and of those below it that one of the inserted texts
// mentions. They go behind the package clause.
func (n *Names) Imports(inserted []string) string {
	text := fmt.Sprintf(";import %s %q", n.importName(""), rt.ImportPath)
	for _, below := range slices.Sorted(maps.Keys(n.below)) {
		name := n.importName(below)
		mentions := func(code string) bool { return strings.Contains(code, name+".") }
		if slices.ContainsFunc(inserted, mentions) {
			text += fmt.Sprintf(";import %s %q", name, rt.ImportPath+"/"+below)
		}
	}
	return text
}
