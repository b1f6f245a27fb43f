package about

import (
	"fmt"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/export/internal/hot"
	"github.com/goprofinstr/goprofinstr/export/internal/known"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// Tests reports whether all that ran were tests. Who runs tests asks what they miss, and who runs a program where it
// spends its time.
func Tests(p *profile.Profile) bool {
	for _, r := range p.Runs {
		if len(r.Args) == 0 || !strings.HasSuffix(strings.TrimSuffix(r.Args[0], ".exe"), ".test") {
			return false
		}
	}
	return len(p.Runs) > 0
}

// Headline says in one sentence, without a full stop, what most readers of a profile want to know.
func Headline(p *profile.Profile) string {
	if Tests(p) {
		return covered(p)
	}
	return spent(p)
}

// covered says what tests cover and miss.
func covered(p *profile.Profile) string {
	c := p.Coverage()
	says := fmt.Sprintf("%s of conditions, %s of branches and %s of statements covered",
		show.Percent(int64(c.ConditionsExecuted), int64(c.Conditions)), show.Percent(int64(c.BranchesExecuted), int64(c.Branches)),
		show.Percent(int64(c.StatementsExecuted), int64(c.Statements)))
	n := c.Conditions - c.ConditionsExecuted
	switch {
	case p.Rule() < profile.Whether:
		return says + " by what was seen; what was not may have run all the same"
	case c.Conditions == 0:
		return says
	case n == 0:
		return says + "; every condition was both true and false"
	case n == 1:
		return says + "; one outcome of a condition was never seen"
	}
	return fmt.Sprintf("%s; %s of conditions were never seen", says, show.Plural(n, "outcome"))
}

// spent says where a program spends its executions and its time.
func spent(p *profile.Profile) string {
	c := p.Coverage()
	says := fmt.Sprintf("%s of %s ran", show.Grouped(int64(c.FunctionsExecuted)), show.Plural(c.Functions, "function"))
	if p.Rule() < profile.Whether {
		says = strings.Replace(says, " ran", " seen", 1)
	}
	if list := hot.ByFlow(p); len(list) > 0 && c.Flow > 0 {
		f := list[0]
		says = fmt.Sprintf("%s of executed branches are in %s; ", known.FlowOf(p).ShareOf(f), show.Short(f.Table.Name, f.Package)) + says
	}
	list := hot.ByTime(p)
	total := int64(0)
	for _, h := range list {
		total += h.Self
	}
	if total > 0 && list[0].SelfTicks >= show.LeastSamples {
		says = fmt.Sprintf("%s of %v of CPU time is spent in %s, ", show.Share(list[0].Self, total, list[0].SelfTicks),
			show.Round(time.Duration(total)), show.Printable(list[0].Name)) + says
	}
	return says
}
