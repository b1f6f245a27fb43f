package input

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/goprofinstr/goprofinstr/internal/show"
)

// A Damage is a part of a profile that is left out because something is wrong with it. The rest of the profile
// is as if the part had never been there.
type Damage struct {
	Part   Part   `json:"part"`
	Name   string `json:"name"` // of the file, without its directory; import path; or name of the function
	Reason string `json:"reason"`
}

// Part says what a Damage is about.
type Part string

// The parts of a profile.
const (
	RunFile      Part = "run file"
	ManifestFile Part = "file" // that tells how the profile came about: without it the sources are not found
	TableFile    Part = "table"
	PackagePart  Part = "package"  // of one run, or of all
	FunctionPart Part = "function" // of all runs
	Contexts     Part = "calling contexts"
	Probes       Part = "native probes"
)

// String returns the damage on a line, for a terminal.
func (d Damage) String() string {
	return show.Printable(fmt.Sprintf("%s %s: %s", d.Part, d.Name, d.Reason))
}

// FileDamage returns the damage of a file that could not be read.
func FileDamage(part Part, name string, err error) Damage {
	reason := strings.TrimPrefix(err.Error(), name+": ")
	if e, ok := err.(*fs.PathError); ok {
		reason = e.Err.Error()
	}
	return Damage{part, filepath.Base(name), reason}
}
