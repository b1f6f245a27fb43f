package show

import (
	"path/filepath"
	"strings"
)

// ShortPath returns the name of a file as the go command shows it that runs in a folder. The name is relative to the
// folder, unless the whole name is shorter.
func ShortPath(dir, name string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return name
	}
	rel, err := filepath.Rel(dir, name)
	if err != nil {
		return name
	}
	if !strings.HasPrefix(rel, "..") {
		rel = "." + string(filepath.Separator) + rel
	}
	if len(rel) < len(name) {
		return rel
	}
	return name
}
