// Package covexport exports coverage: it finds the sources of a profile, and says on standard error what is not known.
package covexport

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gitdiff"
	"github.com/goprofinstr/goprofinstr/export/coverage"
	"github.com/goprofinstr/goprofinstr/export/coverprofile"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// ReadPlan reads the plan in directory dir of profile p. Its files are where the sources of p are.
func ReadPlan(dir string, p *profile.Profile) (*coverprofile.Plan, error) {
	plan, err := coverprofile.ReadPlan(dir)
	if err != nil {
		return nil, err
	}
	if m, _ := profiledir.ReadManifest(profiledir.Current(dir)); m != nil && m.Root != "" && m.Root != p.Root {
		plan.Rebase(m.Root, p.Root)
	}
	return plan, nil
}

// sources returns the files that the profile in directory dir has counts of. ByTool is described at coverprofile.Sources.
func sources(dir string, p *profile.Profile, byTool bool) ([]coverprofile.Source, error) {
	plan, err := ReadPlan(dir, p)
	if err != nil && !errors.Is(err, coverprofile.ErrNoPlan) {
		return nil, err
	}
	files, leftOut, err := coverprofile.Sources(p, plan, byTool)
	if len(leftOut) > 0 {
		fmt.Fprintf(os.Stderr, "goprofinstr: warning: left out: %s without a source file in the module or workspace: %s\n",
			show.Plural(len(leftOut), "package"), show.Printable(some(leftOut)))
	}
	return files, err
}

// some returns the first of a list in a line.
func some(list []string) string {
	const most = 3
	if len(list) > most {
		list = append(list[:most:most], "…")
	}
	return strings.Join(list, ", ")
}

// Writer returns what writes the coverage of the profile in directory dir in the format of another tool. Names are relative
// to the root of the repository, as those of check are.
func Writer(write func(*coverage.Report, io.Writer) error) func(w io.Writer, dir string, p *profile.Profile) error {
	return func(w io.Writer, dir string, p *profile.Profile) error {
		files, err := sources(dir, p, false)
		if err != nil {
			return err
		}
		r := coverage.New(p, files, gitdiff.Prefix(p.Root))
		if err := warn(r); err != nil {
			return err
		}
		if len(r.Files) == 0 {
			return fmt.Errorf("%s: the coverage of no file is known", dir)
		}
		return write(r, w)
	}
}

// warn says what a report lacks, and what in it is not sure.
func warn(r *coverage.Report) error {
	if err := coverprofile.WriteMissing(os.Stderr, r.Missing); err != nil {
		return err
	}
	if r.Outside > 0 {
		fmt.Fprintf(os.Stderr, "goprofinstr: warning: left out: %s outside of the module or workspace\n",
			show.Plural(r.Outside, "file"))
	}
	if u := r.Unsure; u != (coverage.Unsure{}) {
		warnUnseen(fmt.Sprintf("%s and %s", show.Plural(u.Lines, "line"), outcomes(u.Branches)))
	}
	return nil
}

// WarnUnknown says how much of a profile is not known.
func WarnUnknown(p *profile.Profile) {
	unknown := 0
	for _, f := range p.Functions() {
		for _, c := range f.Conditions() {
			unknown += 2 - c.Outcomes() - c.Never()
		}
	}
	if unknown > 0 {
		warnUnseen(outcomes(unknown))
	}
}

func warnUnseen(what string) {
	fmt.Fprintf(os.Stderr, "goprofinstr: warning: paths were sampled: "+
		"%s that were not seen count as not covered, and may have been executed\n", what)
}

// outcomes returns "1 outcome of conditions" or "3 outcomes of conditions".
func outcomes(n int) string { return show.Plural(n, "outcome") + " of conditions" }
