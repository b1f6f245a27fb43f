package profile

import (
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
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

// mostListed is how many damages are told one by one: who has to do something about them sees what it is.
const mostListed = 5

// DamageLines returns a line that says how many parts of p are left out, a line each for the first of them, and
// one for how many more there are; none if all is well.
func (p *Profile) DamageLines() []string {
	if len(p.Damaged) == 0 {
		return nil
	}
	what, them := "1 part", "it is"
	if n := len(p.Damaged); n > 1 {
		what, them = fmt.Sprintf("%d parts", n), "they are"
	}
	lines := []string{fmt.Sprintf("%s of the profile cannot be read, and %s left out", what, them)}
	for _, d := range p.Damaged[:min(len(p.Damaged), mostListed)] {
		lines = append(lines, d.String())
	}
	if more := len(p.Damaged) - mostListed; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return lines
}

// damage notes that a part is left out.
func (p *Profile) damage(part Part, name string, reason error) {
	p.Damaged = append(p.Damaged, Damage{part, name, reason.Error()})
}

// nothing returns an error if so much is left out that there is no profile: all functions, or all runs.
func (p *Profile) nothing(dir string) error {
	isRun := func(d Damage) bool { return d.Part == RunFile }
	isUsable := func(f *Function) bool { return !f.Declined() }
	noRun := len(p.Runs) == 0 && slices.ContainsFunc(p.Damaged, isRun)
	if len(p.Damaged) == 0 || slices.ContainsFunc(p.Functions(), isUsable) && !noRun {
		return nil
	}
	more := ""
	if n := len(p.Damaged) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	return fmt.Errorf("%s: nothing in it can be read: %s%s", dir, p.Damaged[0], more)
}

// fileDamage returns the damage of a file that could not be read.
func fileDamage(part Part, name string, err error) Damage {
	reason := strings.TrimPrefix(err.Error(), name+": ")
	if e, ok := err.(*fs.PathError); ok {
		reason = e.Err.Error()
	}
	return Damage{part, filepath.Base(name), reason}
}

// total is a sum that must stay within an int64, so that all sums of parts of it do.
type total uint64

// add adds numbers, all of them or, if there is no room, none.
func (t *total) add(numbers ...uint64) error {
	sum := uint64(*t)
	for _, n := range numbers {
		if n > math.MaxInt64-sum {
			return errOverflow
		}
		sum += n
	}
	*t = total(sum)
	return nil
}
