package coverprofile

import (
	"cmp"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile"
)

// ErrNoSources is returned for a profile of an earlier goprofinstr if no source file is found. The path tables of
// such a profile do not say how Go divides the sources.
var ErrNoSources = errors.New("no source file of the program is found; run it in the module, or name the module's folder with -src")

// DeriveProgram makes the coverage profile of a program that is no test, of all its instrumented packages. go tool
// covdata textfmt writes the same of a program of go build -cover. The packages have their extents with them. The
// profile of a program without extents is of the packages below the profile's Root, as their sources are now and the
// tool divides them. Functions whose braces are elsewhere than they were are Missing.
func DeriveProgram(p *profile.Profile, tool Tool) (*Profile, error) {
	plan, err := programPlan(p)
	if err != nil {
		return nil, err
	}
	extents, err := newDivider(p, tool).packages(plan)
	if err != nil {
		return nil, err
	}
	d := deriver{located: make(map[string][]locatedExtent), is: newChanges(p)}
	functions := indexFunctions(p)
	test := Test{}
	for _, pkg := range plan.Packages {
		d.locate(functions, pkg.Path, extents[pkg.Path])
		test.Covers = append(test.Covers, pkg.Path)
	}
	return &Profile{Tests: []TestProfile{d.test(test, p)}, Missing: d.missing}, nil
}

// programPlan returns the packages of a program with their files: those that have extents with them, and others
// as far as their files are found.
func programPlan(p *profile.Profile) (*Plan, error) {
	plan := new(Plan)
	for _, pkg := range p.Packages {
		out := Package{Path: pkg.Path}
		if pkg.Covered {
			for _, s := range pkg.Sources {
				out.Files = append(out.Files, File{Name: s.File})
			}
		} else {
			out = packageOf(p, pkg)
		}
		if len(out.Files) > 0 {
			plan.Packages = append(plan.Packages, out)
		}
	}
	if len(plan.Packages) == 0 {
		return nil, ErrNoSources
	}
	return plan, nil
}

// packageOf returns a package with those of its files that are there.
func packageOf(p *profile.Profile, pkg *profile.Package) Package {
	out := Package{Path: pkg.Path, Local: pkg.Path == profile.FilesPackage}
	if p.Root == "" {
		return out
	}
	var names []string
	for _, f := range pkg.Functions {
		if name := belowRoot(f); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(path.Base(a), path.Base(b)) })
	for _, name := range names {
		file := filepath.Join(p.Root, filepath.FromSlash(name))
		if src, err := os.ReadFile(file); err == nil {
			out.Files = append(out.Files, NewFile(file, "", src))
		}
	}
	return out
}

// belowRoot returns the name of a function's file relative to the root of its profile, "" if it is not below it. Go files on the
// command line that are in no module are in the root itself, as extentFile has them.
func belowRoot(f *profile.Function) string {
	name := f.Table.File
	if f.Outside() {
		if f.Package != profile.FilesPackage {
			return ""
		}
		name = path.Base(name)
	}
	if !filepath.IsLocal(filepath.FromSlash(name)) { // a profile may come from anybody
		return ""
	}
	return name
}
