package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/covexport"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

var coverCommand = &command{
	name:     "cover",
	run:      runCover,
	short:    "print the coverage of each package",
	synopsis: `goprofinstr cover [DIR]`,
	about: `Cover prints how much of the statements, branches and conditions of each package was executed in the runs of the
profile in DIR (default goprofinstr.out), and of all packages together. Its lines begin as those of go tool covdata
percent. The programs may be running, or have been killed. Of a sampled profile, what was not seen counts as not covered.`,
	flags: func() flags.Table { return new(coverFlags).table() },
	examples: `goprofinstr cover                                       # of the last wrap here
goprofinstr cover /var/lib/shop/profile                 # of a service, while it runs`,
}

// coverFlags are the flags of cover.
type coverFlags struct{ chosen chosen }

func (f *coverFlags) table() flags.Table {
	return flags.Table{Column: 18, Flags: chosenFlags(&f.chosen)}
}

func runCover(c *command, args []string) (int, error) {
	var f coverFlags
	fs, done, err := c.parse(f.table(), args)
	if done || err != nil {
		return 0, err
	}
	dir, err := c.dir(fs)
	if err != nil {
		return 0, err
	}
	p, err := load(dir, f.chosen)
	if err != nil {
		return 0, err
	}
	covexport.WarnUnknown(p)
	w := bufio.NewWriter(os.Stdout)
	writePercentages(w, p)
	return 0, w.Flush()
}

// writePercentages writes a line for each package, and one for all.
func writePercentages(w io.Writer, p *profile.Profile) {
	for _, pkg := range p.Packages {
		c := pkg.Coverage()
		fmt.Fprintf(w, "\t%s\t\t%s\n", show.Printable(pkg.Path), percentages(&c))
	}
	if len(p.Packages) != 1 {
		c := p.Coverage()
		fmt.Fprintf(w, "\ttotal\t\t%s\n", percentages(&c))
	}
}

// percentages returns "coverage: 75.0% of statements, 66.7% of branches, 50.0% of outcomes of conditions", without what
// there is none of.
func percentages(c *profile.Coverage) string {
	var parts []string
	for _, m := range []struct {
		executed, all int
		what          string
	}{
		{c.StatementsExecuted, c.Statements, "statements"},
		{c.BranchesExecuted, c.Branches, "branches"},
		{c.ConditionsExecuted, c.Conditions, "outcomes of conditions"},
	} {
		if m.all > 0 {
			parts = append(parts, fmt.Sprintf("%.1f%% of %s", 100*float64(m.executed)/float64(m.all), m.what))
		}
	}
	if len(parts) == 0 {
		return "coverage: [no statements]"
	}
	return "coverage: " + strings.Join(parts, ", ")
}
