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
	says := shares(&c)
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

// shares says how much is covered of what there is any of.
func shares(c *profile.Coverage) string {
	var list []string
	add := func(executed, all int, what string) {
		if all > 0 {
			list = append(list, fmt.Sprintf("%s of %s", show.Percent(int64(executed), int64(all)), what))
		}
	}
	add(c.ConditionsExecuted, c.Conditions, "conditions")
	add(c.BranchesExecuted, c.Branches, "branches")
	add(c.StatementsExecuted, c.Statements, "statements")
	if len(list) == 0 {
		add(c.FunctionsExecuted, c.Functions, "functions")
	}
	switch n := len(list); n {
	case 0:
		return "nothing covered"
	case 1:
		return list[0] + " covered"
	default:
		return strings.Join(list[:n-1], ", ") + " and " + list[n-1] + " covered"
	}
}

// spent says where a program spends its executions and its time.
func spent(p *profile.Profile) string {
	c := p.Coverage()
	says := fmt.Sprintf("%s of %s ran", show.Grouped(int64(c.FunctionsExecuted)), show.Plural(c.Functions, "function"))
	if p.Rule() < profile.Whether {
		says = strings.Replace(says, " ran", " seen", 1)
	}
	if c.FunctionsExecuted == 0 && p.Rule() < profile.Whether {
		says += ": the program may have ended before any path did, as by os.Exit; -mode exact has what was executed of such paths"
	}
	if list := hot.ByFlow(p); len(list) > 0 && c.Flow > 0 {
		f := list[0]
		if flow := known.FlowOf(p); !flow.Open() && flow.ShareOf(f) != show.Unknown {
			says = fmt.Sprintf("%s of executed branches are in %s; ", flow.ShareOf(f), show.Short(f.Table.Name, f.Package)) + says
		}
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
