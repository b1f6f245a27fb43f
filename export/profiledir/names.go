package profiledir

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Var is the environment variable that tells an instrumented program which directory to write its run data to.
// Package rt has its own copy of the name, since it cannot import this package.
const Var = "GOPROFINSTR_DIR"

// The files of a profile directory.
const (
	ManifestName = "goprofinstr.json"
	TablesName   = "tables"     // a folder
	CoverPlan    = "cover.json" // of package coverprofile

	// For pprof.
	PathsPprof = "paths.pb.gz"
	EdgesPprof = "edges.pb.gz"
	CallsPprof = "calls.pb.gz"
)

const runFiles = "run.*.gpi"

// ignoreFile keeps git from listing or adding what is in a directory. It is not among the files that are deleted and
// written anew, for people may have another one there.
const ignoreFile = ".gitignore"

// The files that match owned are all that is ever deleted in a profile directory.
var owned = []string{
	runFiles, ManifestName, CoverPlan, TablesName, PathsPprof, EdgesPprof, CallsPprof, Temporary("*.pb.gz"), Audit("*"), Alone("*"),
	Unnamed("*"),
}

// isOwned reports whether a name matches one of owned.
func isOwned(name string) bool {
	return slices.ContainsFunc(owned, func(pattern string) bool { ok, _ := filepath.Match(pattern, name); return ok })
}

// RunFile returns the name of the run file of a process. Several processes of one name, of containers for example,
// are counted from 0.
func RunFile(pid int, start int64, i int) string {
	if i == 0 {
		return fmt.Sprintf("run.%d.%d.gpi", pid, start)
	}
	return fmt.Sprintf("run.%d.%d.%d.gpi", pid, start, i)
}

// Alone returns the name of the file about the tests of a package that each had a process of their own.
func Alone(id string) string { return "alone." + id + ".json" }

// Audit returns the name of the file that has an audit in a format.
func Audit(format string) string { return "audit." + format }

// Unnamed returns the name of a copy of a run file whose process is not known yet.
func Unnamed(n string) string { return "copy." + n + ".tmp" }

// Temporary returns the pattern of the names of what is going to replace a file or folder once it is whole.
func Temporary(name string) string { return name + ".tmp*" }

// Glob returns the paths of the run files in dir, sorted; none if it cannot be read. See [Runs] for one that says
// why there are none.
func Glob(dir string) []string {
	// Not filepath.Glob: dir itself may hold characters special to it.
	entries, _ := os.ReadDir(dir)
	return runsOf(dir, entries)
}

// runsOf returns the paths of the run files among the entries of dir.
func runsOf(dir string, entries []os.DirEntry) (names []string) {
	for _, e := range entries {
		if ok, _ := filepath.Match(runFiles, e.Name()); ok {
			names = append(names, filepath.Join(dir, e.Name()))
		}
	}
	return names
}

// Tables returns the paths of the path tables in dir, sorted.
func Tables(dir string) ([]string, error) {
	dir = filepath.Join(dir, TablesName)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		names = append(names, filepath.Join(dir, e.Name()))
	}
	return names, nil
}
