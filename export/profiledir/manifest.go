package profiledir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// AuditMode is the mode of a directory that audit has written: there are no paths in it.
const AuditMode = "audit"

// Manifest says how a profile directory came about.
type Manifest struct {
	Version int      `json:"version"` // of the manifest
	Mode    string   `json:"mode"`
	Root    string   `json:"root"`    // root of the workspace or the main module, or ""
	Go      string   `json:"go"`      // Go release that built the programs
	Command []string `json:"command"` // the wrapped command; null after merge if there were several

	// Dir is where the command ran, relative to Root with forward slashes; "" if nobody knows. Wrap are the flags of wrap
	// that say what is counted.
	Dir  string   `json:"dir,omitempty"`
	Wrap []string `json:"wrap,omitempty"`

	// Commit is the commit of the checkout, if that had no changes and all tests passed; or "".
	Commit string `json:"commit,omitempty"`

	// Head is the commit that was checked out, if it is known, and Modified are the files that were other than there or in no
	// commit, relative to Root with forward slashes; with -per-test only.
	Head     string   `json:"head,omitempty"`
	Modified []string `json:"modified,omitempty"`

	// Sources has the SHA-256, in hexadecimal, of the instrumented files below Root as they were, by name relative to it;
	// "" if merged runs are of files that differ where no table shows it. An earlier goprofinstr has written it: path tables
	// have hashes now.
	Sources map[string]string `json:"sources,omitempty"`

	// LineSums tell of each line of these files whether it is still what it was; see [LineSums]. There are none of files
	// that differ in merged runs.
	LineSums map[string][]byte `json:"line_sums,omitempty"`

	// NotRun are the packages whose tests have not run, most of all since they do not compile: a profile has what
	// the others did.
	NotRun []string `json:"not_run,omitempty"`
}

func (d *Dir) writeManifest(m Manifest) error {
	m.Version = ManifestVersion
	data, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(d.Path, ManifestName), append(data, '\n'), 0o666)
}

// mostManifest is what is read of a manifest, in bytes. It has a line for each source file.
const mostManifest = 64 << 20

// ManifestVersion is the version of the manifest that this package reads and writes.
const ManifestVersion = 1

// ErrVersion is wrapped by the error of ReadManifest for one that another goprofinstr has written.
var ErrVersion = errors.New("another goprofinstr has written it")

// ReadManifest returns the manifest in directory dir, nil if it has none. Its errors name the file.
func ReadManifest(dir string) (*Manifest, error) {
	name := filepath.Join(dir, ManifestName)
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
	if m.Version != ManifestVersion {
		return nil, fmt.Errorf("%s: version %d of a profile directory; this goprofinstr reads version %d: %w",
			name, m.Version, ManifestVersion, ErrVersion)
	}
	return m, nil
}
