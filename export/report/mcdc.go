package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/goprofinstr/goprofinstr/export/gate"
	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/mcdc"
	"github.com/goprofinstr/goprofinstr/export/mcdc/decision"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// WriteMCDC writes the decisions of the functions that ran. It writes the vectors of each, with the outcome and how
// often it was evaluated so. Then it writes what is known of the effect of each condition:
//
//	m.go:6:5: m.F  if a && (b || c)
//	    true·true·–  true   3
//	    false·–·–    false  1
//	    a: shown by unique cause: true·true·– and false·–·–
//	    b: have true·true·–, want true·false·false
//	    c: want true·false·true and true·false·false
//
// The last lines sum up all functions.
func WriteMCDC(w io.Writer, p *profile.Profile) error {
	out := bufio.NewWriter(w)
	texts := code.New(p)
	var total mcdc.Total
	for _, f := range p.Functions() {
		fn := gate.Decisions(f, texts)
		total.Add(fn)
		if !f.Executed() {
			continue
		}
		for _, d := range fn.Decisions {
			writeDecision(out, d)
		}
		if fn.Unread {
			fmt.Fprintf(out, "%s: decisions not known: %s\n", show.Printable(f.Table.Name), show.Printable(texts.Of(f).Changed()))
		}
	}
	for _, line := range totalLines(&total) {
		fmt.Fprintln(out, line)
	}
	return out.Flush()
}

// writeDecision writes the lines of a decision.
func writeDecision(w io.Writer, d *mcdc.Decision) {
	f := d.Function.Table
	kind := string(d.Kind) + " "
	if d.Kind == code.ValueLogical {
		kind = ""
	}
	fmt.Fprintf(w, "%s:%d:%d: %s  %s%s\n", show.Printable(f.File), d.Line, d.Col, show.Printable(f.Name), kind,
		show.Printable(d.Text))
	var lines strings.Builder
	tab := tabwriter.NewWriter(&lines, 0, 8, 2, ' ', 0)
	for _, v := range d.Vectors {
		fmt.Fprintf(tab, "    %s\t%s\t%s\n", v.Text(), v.OutcomeText(), show.Grouped(v.Count))
	}
	tab.Flush()
	fmt.Fprint(w, lines.String())
	if d.Cut > 0 {
		fmt.Fprintf(w, "    cut short by a panic or the end of the program: %s\n", show.Grouped(d.Cut))
	}
	if d.Joined > 0 {
		fmt.Fprintf(w, "    in two paths, of which it is not known which belong together: %s\n", show.Grouped(d.Joined))
	}
	if d.Why != "" {
		fmt.Fprintf(w, "    not known: %s\n", d.Why)
		return
	}
	for i, e := range d.Effects {
		fmt.Fprintf(w, "    %s: %s\n", show.Printable(d.Conditions[i].Text), mcdc.EffectText(d, &e))
	}
}

// totalLines says how much is known of all decisions.
func totalLines(t *mcdc.Total) []string {
	grouped := func(n int) string { return show.Grouped(int64(n)) }
	lines := []string{
		fmt.Sprintf("conditions whose effect is shown: %s of %s (%s), %s of them by unique cause", grouped(t.Shown),
			grouped(t.Demanded()), show.Percent(int64(t.Shown), int64(t.Demanded())), grouped(t.Unique)),
		fmt.Sprintf("decisions of which that is said of all conditions: %s of %s (%s)", grouped(t.Complete), grouped(t.Decisions),
			show.Percent(int64(t.Complete), int64(t.Decisions))),
	}
	var apart []string
	for _, n := range []struct {
		n    int
		what decision.State
	}{{t.Unknown, decision.Unknown}, {t.Constant, decision.Constant}, {t.Infeasible, decision.Infeasible}} {
		if n.n > 0 {
			apart = append(apart, fmt.Sprintf("%s %s", show.Grouped(int64(n.n)), n.what))
		}
	}
	if len(apart) > 0 {
		lines = append(lines, "conditions not in these numbers: "+strings.Join(apart, ", "))
	}
	if t.Doubtful > 0 {
		const may = "not shown that may have been: in paths that were sampled, or before a panic"
		lines = append(lines, fmt.Sprintf("%s %s", grouped(t.Doubtful), may))
	}
	if t.Unread > 0 {
		functions := show.Plural(t.Unread, "function")
		lines = append(lines, fmt.Sprintf("decisions not known: of %s without a source, or with another one", functions))
	}
	return lines
}
