package selection

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// A listed is a package as go list describes it.
type listed struct {
	Dir, ImportPath, ForTest string
	Standard, DepOnly        bool
	Module                   *struct{ Dir string }

	GoFiles, CgoFiles, IgnoredGoFiles, TestGoFiles, XTestGoFiles []string

	EmbedFiles, EmbedPatterns, TestEmbedFiles, TestEmbedPatterns, XTestEmbedFiles, XTestEmbedPatterns []string

	CFiles, CXXFiles, MFiles, HFiles, FFiles, SFiles, SwigFiles, SwigCXXFiles, SysoFiles []string

	Imports, Deps []string
	Error         *struct{ Err string }
	DepsErrors    []*struct{ Err string }

	root  bool            // go test tests it
	tests map[string]bool // packages that its test binary is made of, by import path; nil without tests
}

const listFields = "Dir,ImportPath,ForTest,Standard,DepOnly,Module,GoFiles,CgoFiles,IgnoredGoFiles,TestGoFiles,XTestGoFiles," +
	"EmbedFiles,EmbedPatterns,TestEmbedFiles,TestEmbedPatterns,XTestEmbedFiles,XTestEmbedPatterns," +
	"CFiles,CXXFiles,MFiles,HFiles,FFiles,SFiles,SwigFiles,SwigCXXFiles,SysoFiles,Imports,Deps,Error,DepsErrors"

// list returns the packages that a go test command builds, by import path. Their folders are named as dir is, which is absolute.
func list(tc *toolchain.Toolchain, c *gocmd.Command, dir string) (map[string]*listed, error) {
	flags, env := tc.LoadFlags(c)
	args := slices.Concat([]string{"list", "-e", "-test", "-deps", "-json=" + listFields}, flags, []string{"--"}, c.Packages)
	cmd := exec.Command(tc.Go, args...)
	cmd.Dir, cmd.Env = dir, append(env, "PWD="+dir) // or it would follow links that lead to dir
	out, err := cmd.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) && len(out) == 0 {
		return nil, fmt.Errorf("go list: %s", toolchain.FirstLine(string(failed.Stderr)))
	} else if err != nil && failed == nil {
		return nil, err
	}
	all, binaries := make(map[string]*listed), make(map[string]*listed)
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(listed)
		if err := d.Decode(p); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if tested, ok := strings.CutSuffix(p.ImportPath, ".test"); ok && !strings.Contains(p.ImportPath, " ") {
			binaries[tested] = p
		}
		if p.ForTest != "" || strings.Contains(p.ImportPath, " ") {
			continue
		}
		p.root = !p.DepOnly
		all[p.ImportPath] = p
	}
	if p := all[profile.FilesPackage]; p != nil && p.root {
		return nil, errors.New("the profile is of Go files that its command names, and go test -run needs a package: " +
			"run goprofinstr wrap -per-test -alone go test with packages")
	}
	for tested, b := range binaries {
		p := all[tested]
		if p == nil || len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			continue
		}
		delete(all, b.ImportPath)
		p.tests = map[string]bool{tested: true}
		for _, dep := range b.Deps {
			name, _, _ := strings.Cut(dep, " ")
			p.tests[name] = true
		}
		if b.Error != nil || len(b.DepsErrors) > 0 {
			p.Error = &struct{ Err string }{"it does not load"}
		}
	}
	for _, p := range all {
		p.root = p.root && p.tests != nil
	}
	return all, nil
}

// has reports whether a file belongs to lists of a package, by its base name or by its name below the folder.
func (p *listed) has(file string, lists ...[]string) bool {
	rel, err := filepath.Rel(p.Dir, file)
	return err == nil && slices.ContainsFunc(lists, func(l []string) bool { return slices.Contains(l, filepath.ToSlash(rel)) })
}

// embeds reports whether a file is embedded in a package without its tests, and in its tests. One that was deleted has been if a
// pattern has its name.
func (p *listed) embeds(file string, deleted bool) (inPackage, inTests bool) {
	rel, err := filepath.Rel(p.Dir, file)
	if err != nil || !filepath.IsLocal(rel) {
		return false, false
	}
	is := func(files, patterns []string) bool {
		return p.has(file, files) || deleted && matches(patterns, filepath.ToSlash(rel))
	}
	inTests = is(p.TestEmbedFiles, p.TestEmbedPatterns) || is(p.XTestEmbedFiles, p.XTestEmbedPatterns)
	return is(p.EmbedFiles, p.EmbedPatterns), inTests
}

// matches reports whether patterns of embedded files have a file, or a folder around it, by its name below the package's folder.
func matches(patterns []string, name string) bool {
	for ; name != "."; name = path.Dir(name) {
		for _, pattern := range patterns {
			if is, _ := path.Match(strings.TrimPrefix(pattern, "all:"), name); is {
				return true
			}
		}
	}
	return false
}

// compiles reports whether a file that is not Go is compiled into a package.
func (p *listed) compiles(file string) bool {
	return p.has(file, p.others())
}

// others returns the files that are not Go and are compiled into a package.
func (p *listed) others() []string {
	return slices.Concat(p.CFiles, p.CXXFiles, p.MFiles, p.HFiles, p.FFiles, p.SFiles, p.SwigFiles, p.SwigCXXFiles, p.SysoFiles)
}
