package load

import (
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// FilesPackage is the import path of a package given by its files.
const FilesPackage = "command-line-arguments"

// A Subject is what patterns tell packages apart by.
type Subject struct {
	Path string // import path
	Dir  string // folder, or "" if there is none
	Std  bool   // the package is in the standard library
	Main bool   // the package is in the main module
}

// SubjectOf returns what patterns see of a listed package.
func SubjectOf(p *packages.Package) Subject {
	return Subject{
		Path: p.PkgPath,
		Dir:  p.Dir,
		Std:  p.Module == nil && p.PkgPath != FilesPackage,
		Main: p.Module != nil && p.Module.Main,
	}
}

// InMain reports whether a package is in the main module, or given by its files.
func InMain(p *packages.Package) bool {
	return p.PkgPath == FilesPackage || p.Module != nil && p.Module.Main
}

// Match returns the function that decides which packages a pattern selects, as cmd/go/internal/load.MatchPackage
// does. A relative pattern is about folders: dir is the absolute name of the one in which the go command runs.
func Match(pattern, dir string) func(Subject) bool {
	if isRelative(pattern) {
		match := matchFolder(pattern, dir)
		return func(p Subject) bool { return p.Dir != "" && match(p.Dir) }
	}
	switch pattern {
	case "all":
		return func(Subject) bool { return true }
	case "std":
		return func(p Subject) bool { return p.Std }
	case "cmd":
		return func(p Subject) bool { return p.Std && strings.HasPrefix(p.Path, "cmd/") }
	case "work":
		return func(p Subject) bool { return p.Main }
	}
	match := MatchPath(pattern)
	return func(p Subject) bool { return match(p.Path) }
}

// isRelative reports whether the go command takes a pattern for that of a folder.
func isRelative(pattern string) bool {
	return pattern == "." || pattern == ".." || strings.HasPrefix(pattern, "./") || strings.HasPrefix(pattern, "../")
}

// matchFolder returns the function that decides which folders a relative pattern selects.
func matchFolder(pattern, dir string) func(folder string) bool {
	root, rest := pattern, ""
	if i := strings.Index(pattern, "..."); i >= 0 {
		j := strings.LastIndex(pattern[:i], "/")
		root, rest = pattern[:j], pattern[j+1:]
	}
	root = filepath.Join(dir, root)
	match := MatchPath(rest)
	return func(folder string) bool {
		rel, err := filepath.Rel(root, folder)
		if err != nil {
			return false
		}
		if rel = filepath.ToSlash(rel); rest == "" {
			return rel == "."
		}
		return rel != ".." && !strings.HasPrefix(rel, "../") && match(rel)
	}
}

// MatchPath returns the function that matches paths with a pattern in which ... stands for any string, as in `go help
// packages`. So net/... matches net too, and ... does not match into vendor folders.
func MatchPath(pattern string) func(path string) bool {
	parts := strings.Split(pattern, "...")
	var self []string // of the pattern without /... at its end
	if base, ok := strings.CutSuffix(pattern, "/..."); ok {
		self = strings.Split(base, "...")
	}
	intoVendor := strings.Contains(pattern, "vendor")
	return func(path string) bool {
		if !intoVendor && strings.Contains("/"+path, "/vendor/") {
			return false
		}
		return matchParts(parts, path) || self != nil && matchParts(self, path)
	}
}

// matchParts reports whether s is the parts with any strings between them.
func matchParts(parts []string, s string) bool {
	rest, ok := strings.CutPrefix(s, parts[0])
	if len(parts) == 1 || !ok {
		return ok && rest == ""
	}
	last := len(parts) - 1
	if rest, ok = strings.CutSuffix(rest, parts[last]); !ok {
		return false
	}
	for _, part := range parts[1:last] {
		if _, rest, ok = strings.Cut(rest, part); !ok {
			return false
		}
	}
	return true
}
