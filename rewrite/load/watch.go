package load

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/packages"
)

// watched is what the go command looks at to list packages.
type watched struct {
	Trees []string // folders of modules that are edited, with all that is in them
	Files []string // other files and folders
	Made  []string // files in the build cache, whose names say what is in them
}

// mostWatched is how many files are looked at, at most. In folders with more the go command is about as quick.
const mostWatched = 20_000

// coarsest is how far apart two changes of a file must be for its time to tell them apart, on any file system. Tests do not
// wait for it.
var coarsest = 2 * time.Second

// A stamp tells whether a file or folder has changed.
type stamp struct {
	Name    string
	Mode    fs.FileMode
	Size    int64
	Written int64  // Unix time in nanoseconds
	Changed int64  // the same, of the inode; 0 where it is not known
	Inode   uint64 // 0 where it is not known
}

// since reports whether what the stamp is of has changed at t or later.
func (s stamp) since(t time.Time) bool { return max(s.Written, s.Changed) >= t.UnixNano() }

// localReplace finds a module in a folder in go.mod, which has a go.mod of its own.
var localReplace = regexp.MustCompile(`=>\s*["` + "`" + `]?(\.|/|[A-Za-z]:)`)

// add adds what a package was listed from. It reports whether all of it is known.
func (w *watched) add(c Config, p *packages.Package) bool {
	settled := func(name string) bool {
		return slices.ContainsFunc(c.Settled, func(dir string) bool { return within(name, dir) })
	}
	switch {
	case IsTestMain(p): // in the build cache
		w.Made = append(w.Made, p.GoFiles...)
		return true
	case p.Module == nil:
		return p.PkgPath == "unsafe" || p.Dir != "" && settled(p.Dir) // in a release of Go
	case p.Module.Dir != "" && settled(p.Module.Dir):
		w.file(p.Module.Dir)
		return true
	case p.Module.Dir == "" && strings.Contains(filepath.ToSlash(p.Dir), "/vendor/"): // of the main module
		return true
	case p.Module.Main && p.Module.Dir != "":
		if !slices.Contains(w.Trees, p.Module.Dir) {
			data, err := os.ReadFile(p.Module.GoMod)
			if err != nil || localReplace.Match(data) {
				return false
			}
			w.Trees = append(w.Trees, p.Module.Dir)
			w.file(p.Module.GoMod)
		}
		rel, err := filepath.Rel(p.Module.Dir, p.Dir)
		isIgnored := func(name string) bool { return name != "." && ignored(name) }
		return err == nil && !slices.ContainsFunc(strings.Split(rel, string(filepath.Separator)), isIgnored) &&
			!behindLink(p.Module.Dir, rel)
	}
	return false
}

// behindLink reports whether a folder below another, or one on the way there, is a link. What it leads to is in no tree.
func behindLink(dir, rel string) bool {
	from, err := filepath.EvalSymlinks(dir)
	to, err2 := filepath.EvalSymlinks(filepath.Join(dir, rel))
	return err != nil || err2 != nil || to != filepath.Join(from, rel)
}

func (w *watched) file(name string) {
	if !slices.Contains(w.Files, name) {
		w.Files = append(w.Files, name)
	}
}

// ignored reports whether ./... does not go into folders of this name.
func ignored(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata"
}

// stamps returns those of all that is watched.
func (c Config) stamps(w *watched) (list []stamp, ok bool) {
	ok = len(w.Trees) > 0
	add := func(name string) {
		info, err := os.Stat(name) // of what links lead to
		if err != nil {
			ok = false
			return
		}
		list = append(list, stampOf(name, info))
	}
	for _, name := range w.Files {
		add(name)
	}
	for _, name := range w.Made {
		info, err := os.Stat(name)
		if err != nil {
			return nil, false
		}
		list = append(list, stamp{Name: name, Size: info.Size()})
	}
	for _, tree := range w.Trees {
		inTree, err := c.stampTree(tree)
		list = append(list, inTree...)
		ok = ok && err == nil && len(list) <= mostWatched
	}
	return list, ok
}

// stampTree returns the stamps of a module that is edited. These are the times of files that the go command reads, and the names
// of the others, which can be embedded. A folder's own times say nothing more than the names in it. What we have written into a
// module does not change it.
func (c Config) stampTree(tree string) (list []stamp, err error) {
	written := "" // the last such folder
	err = filepath.WalkDir(tree, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != tree && ignored(d.Name()):
			return fs.SkipDir
		case len(list) > mostWatched:
			return fs.SkipAll
		case d.IsDir() && c.Written != nil && c.Written(name):
			written = name
			return nil
		}
		read := isRead(d.Name())
		if written != "" && within(name, written) && !read {
			return nil
		}
		info, err := os.Stat(name) // of what links lead to
		if err != nil {
			return err
		}
		if read && !info.IsDir() {
			list = append(list, stampOf(name, info))
		} else {
			list = append(list, stamp{Name: name, Mode: info.Mode()})
		}
		return nil
	})
	return list, err
}

// isRead reports whether the go command reads a file to list packages: for its imports, for build constraints, or for modules.
func isRead(name string) bool {
	switch name {
	case "go.mod", "go.sum", "go.work", "modules.txt":
		return true
	}
	return slices.Contains(sourceEndings, filepath.Ext(name))
}

// sourceEndings are those of the files that go/build matches.
var sourceEndings = []string{
	".go", ".c", ".cc", ".cpp", ".cxx", ".m", ".h", ".hh", ".hpp", ".hxx", ".f", ".F", ".for", ".f90",
	".s", ".S", ".sx", ".swig", ".swigcxx", ".syso",
}
