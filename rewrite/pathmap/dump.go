package pathmap

import (
	"fmt"
	"io"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
)

// Dump writes the machine code with what each instruction is evidence of, and where looks are.
func (t *Target) Dump(w io.Writer) {
	fmt.Fprintf(w, "  %s in %s, fused %v\n", t.F.Name, t.M.Name, t.fused)
	for e, taken := range t.Taken {
		if !taken {
			fmt.Fprintf(w, "   no way takes %d→%d\n", t.F.edges[e].from, t.F.edges[e].to)
		}
	}
	for _, b := range t.M.Blocks {
		fmt.Fprintf(w, "   machine block %d", b.Index)
		for k, s := range b.Succs {
			fmt.Fprintf(w, " →%d", s.Index)
			if e, ok := t.sides[side{b.Index, k}]; ok {
				fmt.Fprintf(w, "(%d→%d)", t.F.edges[e].from, t.F.edges[e].to)
			}
		}
		if t.doomed[b.Index] {
			fmt.Fprint(w, " doomed")
		}
		fmt.Fprintln(w)
		for k, i := range b.Insts {
			l := t.labels[b.Index][k]
			piece := ""
			if k := t.source.piece(i.File); k >= 0 {
				piece = t.source.text(k)
			}
			what := "      "
			if i.Kind == machine.Strict || i.Kind == machine.Branch {
				what = fmt.Sprintf("%-6d", l.block)
			}
			inner := ""
			if l.inner {
				inner = "inlined"
			}
			fmt.Fprintf(w, "    %s %#x %-50s %d %q %s\n", what, i.PC, i.Text(), l.block, piece, inner)
			for _, look := range t.Looks {
				if look.At == i {
					fmt.Fprintf(w, "           look before it: block %d, register %d, condition %d\n", look.Block, look.Register, look.Condition)
				}
			}
		}
	}
}

// text returns how a piece begins.
func (s *Source) text(k int) string {
	p := s.pieces[k]
	text, _, _ := strings.Cut(string(s.texts[p.file][p.From:p.To]), "\n")
	return strings.TrimSpace(text[:min(len(text), 40)])
}
