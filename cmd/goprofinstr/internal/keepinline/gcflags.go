package keepinline

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/rewrite/inline"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
)

// gcflags are the user's -gcflags. Of several that match a package the go command takes the last alone; so
// ours have to come last, and repeat the user's.
type gcflags []gcflag

type gcflag struct {
	value string                  // as it stands on the command line, "" for one in GOFLAGS
	match func(load.Subject) bool // nil for the packages named on the command line
	flags []string
}

// UserFlags are the user's flags for the compiler.
type UserFlags struct {
	all      gcflags
	roots    []*packages.Package // those named on the command line
	patterns map[string]string   // of packages of the main module, by import path, if the user has no flags
}

// ReadUserFlags reads the flags of a go command for a build.
func ReadUserFlags(c *gocmd.Command, tc *toolchain.Toolchain, b *load.Build) (*UserFlags, error) {
	all, err := readGCFlags(c, tc)
	u := &UserFlags{all, b.Roots, make(map[string]string)}
	for _, p := range b.All {
		// Tests outside of a package are in its folder, too: the user may have other flags for them.
		if p.ID == p.PkgPath && p.Module != nil && p.Module.Main && p.PkgPath != load.FilesPackage && len(all) == 0 {
			u.patterns[p.PkgPath] = c.Pattern(p.PkgPath, p.Dir)
		}
	}
	return u, err
}

// Of returns the flags for a package.
func (u *UserFlags) Of(p *packages.Package) []string {
	path := inline.Tested(p.ID)
	return u.all.of(p, slices.ContainsFunc(u.roots, func(r *packages.Package) bool { return r.ID == path }))
}

// With returns the user's -gcflags and those for single packages, by import path, which come after them. Those for
// a package of the main module are for its tests as well, unless these have some of their own.
func (u *UserFlags) With(flags map[string][]string) ([]string, error) {
	var folders, paths []string
	for _, path := range slices.Sorted(maps.Keys(flags)) {
		joined, err := gocmd.JoinQuoted(flags[path])
		if err != nil {
			return nil, err
		}
		if pattern, ok := u.patterns[path]; ok && pattern != path {
			folders = append(folders, "-gcflags="+pattern+"="+joined)
		} else {
			paths = append(paths, "-gcflags="+path+"="+joined)
		}
	}
	all := slices.Concat(u.all.onCommandLine(), folders, paths)
	if len(flags) > 0 {
		all = append(all, toolchain.Last("gcflags"))
	}
	return all, nil
}

// readGCFlags returns the -gcflags in GOFLAGS and on the command line, in this order, which is that of the go command.
func readGCFlags(c *gocmd.Command, tc *toolchain.Toolchain) (gcflags, error) {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return nil, err
	}
	inVariable, given, err := tc.PackageFlags(c, "gcflags")
	if err != nil {
		return nil, err
	}
	var all gcflags
	for i, value := range slices.Concat(inVariable, given) {
		f, err := parseGCFlag(value, dir)
		if err != nil {
			return nil, err
		}
		if i >= len(inVariable) {
			f.value = "-gcflags=" + value
		}
		all = append(all, f)
	}
	return all, nil
}

// parseGCFlag takes [PATTERN=]FLAGS apart as cmd/go/internal/load.PerPackageFlag does.
func parseGCFlag(value, dir string) (f gcflag, err error) {
	flags := strings.TrimSpace(value)
	if flags != "" && flags[0] != '-' {
		pattern, rest, ok := strings.Cut(flags, "=")
		if !ok || pattern == "" {
			return f, fmt.Errorf("-gcflags=%s: want [PATTERN=]FLAGS", value)
		}
		f.match, flags = load.Match(strings.TrimSpace(pattern), dir), rest
	}
	if f.flags, err = gocmd.SplitQuoted(flags); err != nil {
		return f, fmt.Errorf("-gcflags=%s: %v", value, err)
	}
	return f, nil
}

// of returns the flags for p. named reports that p is named on the command line.
func (all gcflags) of(p *packages.Package, named bool) []string {
	var flags []string
	for _, f := range all {
		if f.match == nil && named || f.match != nil && f.match(load.SubjectOf(p)) {
			flags = f.flags
		}
	}
	return flags
}

// onCommandLine returns those that stand on the command line, as words of it.
func (all gcflags) onCommandLine() []string {
	var words []string
	for _, f := range all {
		if f.value != "" {
			words = append(words, f.value)
		}
	}
	return words
}
