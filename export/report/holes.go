package report

import (
	"fmt"
	"io"

	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/internal/holes"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// reportHoles is how many conditions a report names of those that were not seen both ways. All are in the conditions
// format and on the page of each function.
const reportHoles = 10

// worst returns at most so many of the conditions that are known never to have been true, or never false. It also
// returns how many outcomes are missing besides.
func worst(p *profile.Profile, most int) (list []holes.Hole, more int) {
	c := p.Coverage()
	more = c.Conditions - c.ConditionsExecuted
	for _, h := range holes.All(p) {
		if h.Known() && h.Other > 0 && len(list) < most {
			list = append(list, h)
			more--
		}
	}
	return list, more
}

// writeHoles writes what tests miss.
func writeHoles(w io.Writer, p *profile.Profile, texts *code.Texts, top int) {
	list, more := worst(p, min(top, reportHoles))
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "\nNever seen, where control came most often, panics last\n\n")
	for _, h := range list {
		holes.Write(w, h.Function, h.Operand(texts), h.Says(), "")
	}
	if more > 0 {
		fmt.Fprintf(w, "and %s more; -format conditions has those of what ran\n", show.Grouped(int64(more)))
	}
}
