package difffuzz

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/goprofinstr/goprofinstr/integration/progen"
)

// cover compares the counts of the blocks of a text coverage profile with those of the graph
// blocks that their first traced statements are in.
func (j *judge) cover(text string) {
	type line struct {
		file string
		line int
	}
	traced := make(map[line]int)
	for id, s := range j.sites {
		if s.Func != "B" {
			traced[line{s.File, s.Line}] = id
		}
	}
	sc := bufio.NewScanner(strings.NewReader(text))
	for sc.Scan() {
		name, rest, ok := strings.Cut(sc.Text(), ".go:")
		if !ok {
			continue // the mode
		}
		var from, fromCol, to, toCol, stmts int
		var count int64
		if _, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &from, &fromCol, &to, &toCol, &stmts, &count); err != nil {
			continue
		}
		file := strings.TrimPrefix(name, progen.Module+"/") + ".go"
		for l := from; l <= to; l++ {
			id, ok := traced[line{file, l}]
			if !ok {
				continue
			}
			f := j.innermost(j.sites[id])
			if f == nil || f.Declined() || j.died && j.activations[f] == nil {
				break
			}
			i := statementBefore(f, j.sites[id])
			if i < 0 || f.Table.Statements[i].Block < 0 {
				break // dead code behind a return in one block of Go's coverage with it
			}
			if f.Abandoned > 0 && i > 0 && compare([2]int{from, fromCol}, [2]int{f.Table.Statements[i].Line, f.Table.Statements[i].Col}) < 0 {
				break // it may have been abandoned in the block, before it came to the site's run
			}
			j.figures.CoverBlocks++
			if got := j.statements(f)[i]; got != count {
				j.fail("cover", f, "lines %d to %d have count %d, %d in Go's coverage", from, to, got, count)
			}
			break
		}
	}
}
