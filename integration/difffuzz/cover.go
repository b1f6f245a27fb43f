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
			p := j.blockOf[id]
			if p == nil || p.f.Abandoned > 0 {
				break // never reached, or not comparable
			}
			j.figures.CoverBlocks++
			if got := p.f.Blocks[p.block]; got != count {
				j.fail("cover", p.f, "block %d has count %d, Go's coverage of lines %d to %d has %d", p.block, got, from, to, count)
			}
			break
		}
	}
}
