package profile

import (
	"fmt"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile/internal/input"
)

// A Damage is a part of a profile that is left out because something is wrong with it. The rest of the profile
// is as if the part had never been there.
type Damage = input.Damage

// Part says what a Damage is about.
type Part = input.Part

// The parts of a profile.
const (
	RunFile      = input.RunFile
	ManifestFile = input.ManifestFile
	TableFile    = input.TableFile
	PackagePart  = input.PackagePart
	FunctionPart = input.FunctionPart
	Contexts     = input.Contexts
	Probes       = input.Probes
)

// mostListed is how many damages are told one by one: who has to do something about them sees what it is.
const mostListed = 5

// DamageLines returns a line that says how many parts of p are left out. It adds a line each for the first of them,
// and one for how many more there are. The result is nil if all is well.
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
	p.Damaged = append(p.Damaged, Damage{Part: part, Name: name, Reason: reason.Error()})
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
