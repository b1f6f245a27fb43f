package gocmd

import (
	"os"
	"path/filepath"
	"strings"
)

// NoPackage is a pattern of -gcflags and -ldflags that matches no package.
const NoPackage = "goprofinstr"

// Pattern returns a pattern of -gcflags and -ldflags that matches a package of the main module in a folder, and also its tests
// and the main package of their binary. That is the folder where possible: an import path is a regular expression to the go
// command, which compiles it again for each package of the build. With 180 import paths in a build of 700 packages this took
// 40 s.
func (c *Command) Pattern(path, dir string) string {
	from, err := filepath.Abs(c.Dir)
	if c.Dir != "" && err == nil {
		real, err := filepath.EvalSymlinks(from)
		if err != nil || real != from { // the go command may call its folders by other names than those that it has listed
			return path
		}
	}
	rel, err2 := filepath.Rel(from, dir)
	if err != nil || err2 != nil {
		return path // on another drive
	}
	rel = filepath.ToSlash(rel)
	if rel != "." && rel != ".." && !strings.HasPrefix(rel, "../") {
		rel = "./" + rel
	}
	isFolder := filepath.Join(from, rel) == dir && strings.TrimSpace(rel) == rel && !strings.Contains(rel, "...") && !strings.Contains(rel, "=")
	if !isFolder || os.PathSeparator != '/' {
		return path
	}
	return rel
}
