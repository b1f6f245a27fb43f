package profile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// The files of a profile directory that wrap writes. Those that match owned are
// all that is ever deleted in one.
const (
	manifestName = "goprofinstr.json"
	tablesDir    = "tables"
	coverPlan    = "cover.json" // of package coverprofile
)

var owned = []string{runFiles, manifestName, coverPlan, tablesDir, "paths.pb.gz", "edges.pb.gz", "calls.pb.gz", "*.pb.gz.tmp*", "audit.*"}

// DirVar is the environment variable that tells an instrumented program
// which directory to write its run data to.
const DirVar = "GOPROFINSTR_DIR"

// AuditMode is the mode of a directory that audit has written: there are no paths in it.
const AuditMode = "audit"

// Manifest says how a profile directory came about.
type Manifest struct {
	Version int      `json:"version"` // 1
	Mode    string   `json:"mode"`
	Root    string   `json:"root"`    // root of the main module, or ""
	Go      string   `json:"go"`      // Go release that built the programs
	Command []string `json:"command"` // the wrapped command; null after merge if there were several

	// Sources has the SHA-256, in hexadecimal, of the instrumented files below Root as they were, by name relative to it; "" if
	// merged runs are of files that differ where no table shows it.
	Sources map[string]string `json:"sources,omitempty"`

	// NotRun are the packages whose tests have not run, most of all since they do not compile: a profile has what
	// the others did.
	NotRun []string `json:"not_run,omitempty"`
}

// Dir is a directory for the data of one wrap.
type Dir struct {
	Path string // absolute

	lock *lockedfile.File // of Lock, or nil
	made bool             // by Lock
}

// CheckDir reports whether data can be written to directory name, without changing
// anything in it. The directory need not exist; if it does, it must be empty or an earlier
// profile.
func CheckDir(name string) (*Dir, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Dir{Path: abs}, checkParent(abs)
	case err != nil:
		return nil, fmt.Errorf("output directory: %w", err)
	}
	if !ours(entries) {
		return nil, fmt.Errorf("output directory %s is not empty and not one of goprofinstr's; choose another with -o", name)
	}
	return &Dir{Path: abs}, checkWritable(abs)
}

// checkParent finds out whether a directory could be made, in the nearest folder that exists.
func checkParent(name string) error {
	for parent := filepath.Dir(name); ; parent = filepath.Dir(parent) {
		info, err := os.Stat(parent)
		switch {
		case errors.Is(err, fs.ErrNotExist) && parent != filepath.Dir(parent):
			continue
		case err != nil:
			return fmt.Errorf("output directory: %w", err)
		case !info.IsDir():
			return fmt.Errorf("output directory %s: %s is not a directory", name, parent)
		}
		return checkWritable(parent)
	}
}

func checkWritable(dir string) error {
	f, err := os.CreateTemp(dir, ".goprofinstr-*")
	if err != nil {
		if path := (*fs.PathError)(nil); errors.As(err, &path) {
			err = path.Err // the name is that of a file that nobody has asked for
		}
		return fmt.Errorf("output directory: cannot write to %s: %w", dir, err)
	}
	f.Close()
	return os.Remove(f.Name())
}

// ours reports whether a directory with these entries is empty or one of goprofinstr's.
func ours(entries []os.DirEntry) bool {
	rest := slices.DeleteFunc(slices.Clone(entries), func(e os.DirEntry) bool { // of the first wrap, which runs or was killed
		return e.Name() == lockFile || e.Name() == runningDir
	})
	return len(rest) == 0 || slices.ContainsFunc(rest, func(e os.DirEntry) bool { return e.Name() == manifestName || e.Name() == wholeDir })
}

// writeBuild writes the manifest and the tables.
func (d *Dir) writeBuild(m Manifest, tables [][]byte) error {
	if err := os.MkdirAll(filepath.Join(d.Path, tablesDir), 0o777); err != nil {
		return err
	}
	if err := d.writeManifest(m); err != nil {
		return err
	}
	for i, data := range tables {
		if err := os.WriteFile(filepath.Join(d.Path, tablesDir, fmt.Sprintf("%04d.gptab", i)), data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

func (d *Dir) writeManifest(m Manifest) error {
	m.Version = manifestVersion
	data, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(d.Path, manifestName), append(data, '\n'), 0o666)
}

// clear removes the profile.
func (d *Dir) clear() error {
	for _, pattern := range owned {
		entries, err := os.ReadDir(d.Path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, e := range entries {
			if ok, _ := filepath.Match(pattern, e.Name()); ok {
				if err := os.RemoveAll(filepath.Join(d.Path, e.Name())); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// mostManifest is what is read of a manifest, in bytes. It has a line for each source file.
const mostManifest = 64 << 20

// manifestVersion is the version of the manifest that this package reads and writes.
const manifestVersion = 1

// errVersion is wrapped by the error of ReadManifest for one that another goprofinstr has written.
var errVersion = errors.New("another goprofinstr has written it")

// ReadManifest returns the manifest in directory dir, nil if it has none. Its errors name the file.
func ReadManifest(dir string) (*Manifest, error) {
	name := filepath.Join(dir, manifestName)
	data, err := rundata.ReadWhole(name, mostManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m := new(Manifest)
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if m.Version != manifestVersion {
		return nil, fmt.Errorf("%s: version %d of a profile directory; this goprofinstr reads version %d: %w",
			name, m.Version, manifestVersion, errVersion)
	}
	return m, nil
}

// An encodedTable is a file of tablesDir.
type encodedTable struct {
	name  string
	data  []byte
	table *table.Package // once it is decoded
}

// readTables returns the tables that Start has written to dir, as many as can be read. Want tells that there
// must be some.
func readTables(dir string, want bool) (tables []encodedTable, damaged []Damage) {
	entries, err := os.ReadDir(filepath.Join(dir, tablesDir))
	if err != nil {
		if want || !errors.Is(err, fs.ErrNotExist) {
			damaged = append(damaged, fileDamage(TableFile, filepath.Join(dir, tablesDir), err))
		}
		return nil, damaged
	}
	for _, e := range entries {
		name := filepath.Join(dir, tablesDir, e.Name())
		data, err := rundata.ReadWhole(name, table.MostBytes)
		if err != nil {
			damaged = append(damaged, fileDamage(TableFile, name, err))
			continue
		}
		tables = append(tables, encodedTable{name: name, data: data})
	}
	return tables, damaged
}
