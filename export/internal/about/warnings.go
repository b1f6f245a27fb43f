package about

import (
	"errors"
	"fmt"
	"time"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// Warnings returns a line each for what makes the counts of p doubtful.
func Warnings(p *profile.Profile) []string {
	var list []string
	warn := func(format string, args ...any) { list = append(list, "warning: "+fmt.Sprintf(format, args...)) }
	if n := len(p.NotRun); n > 0 {
		warn("not of all packages: the tests of %s did not run: %s", show.Plural(n, "package"), show.First(p.NotRun, 3))
	}
	for i, line := range p.DamageLines() {
		line = show.Printable(line)
		if i > 0 {
			line = "left out: " + line
		}
		warn("%s", line)
	}
	lost, empty, unsaid := uint64(0), 0, 0
	for _, r := range p.Runs {
		lost += r.Lost
		switch s := r.Sampling; {
		case s == nil || s.Samples > 0 || s.CountedEnds > 0 || s.CPU < time.Second:
		case s.CountedAll:
			empty++
		default: // portable probes tell only at the exit how many path ends were counted
			unsaid++
		}
	}
	if unsaid > 0 && p.Coverage().FunctionsExecuted == 0 {
		empty += unsaid
	}
	if empty > 0 {
		warn("no path ended in %s that took a second of CPU time or more", show.Plural(empty, "run"))
	}
	if lost > 0 {
		warn("for want of room %s not counted", show.Plural(int(lost), "path execution"))
	}
	bad, concurrent := 0, false
	for _, f := range p.Functions() {
		if err := f.Check(); err != nil {
			bad++
			concurrent = concurrent || errors.Is(err, profile.ErrLostUpdates)
		}
	}
	switch {
	case concurrent:
		warn("%s lost counts to concurrency; wrap -atomic loses none", show.Plural(bad, "function"))
	case bad > 0:
		warn("the counts of %s contradict each other", show.Plural(bad, "function"))
	}
	return list
}
