package gitdiff

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// Files returns the names, relative to dir, of all files in a folder and beneath it that are other than at a revision,
// committed or not, of those that are gone and of those that git does not know yet; sorted.
func Files(dir, rev string) ([]string, error) {
	if err := Verify(dir, rev); err != nil {
		return nil, err
	}
	changed, err := git(dir, "diff", "--no-ext-diff", "--no-renames", "--ignore-submodules=untracked", "--relative", "--name-only",
		"-z", rev, "--", ".")
	if err != nil {
		return nil, err
	}
	unknown, err := git(dir, "ls-files", "-z", "--others", "--exclude-standard", "--", ".")
	if err != nil {
		return nil, err
	}
	names := strings.Split(string(changed)+string(unknown), "\x00")
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" }), nil
}

// Tracked returns the names, relative to dir, of all files in a folder and beneath it that git has in its index. It has neither
// files that it ignores, nor those in submodules and other repositories.
func Tracked(dir string) (map[string]bool, error) {
	names, err := git(dir, "ls-files", "-z", "--cached", "--", ".")
	if err != nil {
		return nil, err
	}
	tracked := make(map[string]bool)
	for name := range strings.SplitSeq(string(names), "\x00") {
		tracked[name] = true
	}
	return tracked, nil
}

// File returns a file, whose name is relative to dir, as it is at a revision; nil if it is not there.
func File(dir, rev, name string) ([]byte, error) {
	object := rev + ":./" + name
	out, err := git(dir, "ls-tree", "-z", "--full-tree", rev, "--", Prefix(dir)+name)
	if err != nil || len(out) == 0 || bytes.HasPrefix(out, []byte("160000 ")) { // a submodule is no file
		return nil, err
	}
	out, err = git(dir, "cat-file", "blob", object)
	if out == nil && err == nil {
		out = []byte{}
	}
	return out, err
}

// GoFiles returns those of Files that are Go source.
func GoFiles(dir, rev string) ([]string, error) {
	names, err := Files(dir, rev)
	return slices.DeleteFunc(names, func(name string) bool { return path.Ext(name) != ".go" }), err
}

// FilesAt returns the Go files that a folder has at a revision, without those of tests, by their names in it. The folder is
// relative to dir, with forward slashes. There are none if there is no such folder.
func FilesAt(dir, rev, folder string) (map[string][]byte, error) {
	listed, err := git(dir, "ls-tree", "-z", "--name-only", rev, "./"+folder+"/")
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte)
	for name := range strings.SplitSeq(string(listed), "\x00") {
		base := path.Base(name)
		if path.Ext(base) != ".go" || strings.HasSuffix(base, "_test.go") {
			continue
		}
		if files[base], err = git(dir, "show", "--no-textconv", rev+":./"+path.Join(folder, base)); err != nil {
			return nil, err
		}
	}
	return files, nil
}
