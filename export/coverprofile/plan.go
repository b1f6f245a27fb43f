package coverprofile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"go/version"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// ErrNoPlan is wrapped by the error of [ReadPlan] for a directory without a plan.
var ErrNoPlan = errors.New("no record of what go test covers")

// PlanVersion is the version of the record that this package reads and writes.
const PlanVersion = 1

// A Plan says what the coverage profile of a go test command has in it.
type Plan struct {
	Version  int       `json:"version"`            // PlanVersion
	Go       string    `json:"go"`                 // release that built the tests: its cover tool splits the files into extents
	Patterns []string  `json:"patterns,omitempty"` // of -coverpkg
	Packages []Package `json:"packages"`           // that are covered
	Tests    []Test    `json:"tests"`              // in the order of the go command
}

// A Package is a covered package.
type Package struct {
	Path  string `json:"path"`            // import path
	Local bool   `json:"local,omitempty"` // Go files on the command line: extents are named by the files' own names
	Files []File `json:"files"`           // without test files
}

// A File is a source file of a covered package.
type File struct {
	Name        string `json:"name"`                  // absolute
	Replacement string `json:"replacement,omitempty"` // the file with its contents, if an overlay replaces it
	Sum         string `json:"sum"`                   // SHA-256 of the contents, in hexadecimal
}

// A Test is a package under test.
type Test struct {
	Package string   `json:"package"`          // import path
	Binary  string   `json:"binary,omitempty"` // base name of the test binary; "" if none runs covered code
	Main    bool     `json:"main,omitempty"`   // it has a TestMain
	Covers  []string `json:"covers"`           // import paths of the packages whose extents its part of the profile has, sorted
}

// NewFile returns the description of a file with contents src.
func NewFile(name, replacement string, src []byte) File {
	return File{Name: name, Replacement: replacement, Sum: sum(src)}
}

func sum(src []byte) string {
	s := sha256.Sum256(src)
	return hex.EncodeToString(s[:])
}

// Write writes the plan to a profile directory.
func (p *Plan) Write(dir string) error {
	p.Version = PlanVersion
	data, err := json.MarshalIndent(p, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, profiledir.CoverPlan), append(data, '\n'), 0o666)
}

// mostPlan is what is read of a plan, in bytes. It has a line for each source file.
const mostPlan = 64 << 20

// ReadPlan reads the plan in a profile directory.
func ReadPlan(dir string) (*Plan, error) {
	name := filepath.Join(profiledir.Current(dir), profiledir.CoverPlan)
	data, err := rundata.ReadWhole(name, mostPlan)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w: want the output directory of goprofinstr wrap go test", dir, ErrNoPlan)
	}
	if err != nil {
		return nil, err
	}
	p := new(Plan)
	if err := json.Unmarshal(data, p); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if p.Version != PlanVersion {
		return nil, fmt.Errorf("%s: version %d; this goprofinstr reads version %d", name, p.Version, PlanVersion)
	}
	return p, nil
}

// Rebase has files that were below one folder be at the same places below another, as the sources of a profile are on another
// machine.
func (p *Plan) Rebase(from, to string) {
	for i := range p.Packages {
		for j := range p.Packages[i].Files {
			f := &p.Packages[i].Files[j]
			f.Name, f.Replacement = rebased(f.Name, from, to), rebased(f.Replacement, from, to)
		}
	}
}

func rebased(name, from, to string) string {
	rel, err := filepath.Rel(from, name)
	if name == "" || err != nil || !filepath.IsLocal(rel) {
		return name
	}
	return filepath.Join(to, rel)
}

// Tool returns the cover tool of the release that built the tests. The go command found in PATH
// is that release, or runs it, downloading it if it has to.
func (p *Plan) Tool() Tool {
	t := Tool{Go: "go"}
	if release, _, _ := strings.Cut(p.Go, " "); version.IsValid(release) { // others are not for download
		t.Env = append(os.Environ(), "GOTOOLCHAIN="+release)
	}
	return t
}
