package coverage

import "github.com/goprofinstr/goprofinstr/export/profile"

// unsure returns the lines of a file that were not seen, and may have been executed.
func (l *layout) unsure() map[int]bool {
	unsure, seen := make(map[int]bool), make(map[int]bool)
	counts, known := make(map[*profile.Function][]int64), make(map[*profile.Function][]bool)
	for _, f := range l.functions {
		counts[f], known[f] = f.StatementCounts(), f.KnownBlocks()
	}
	for i := range l.source.Extents {
		e := &l.source.Extents[i]
		if e.Why != "" {
			continue
		}
		block := e.Function.Table.Statements[e.Statement].Block
		for _, line := range l.lines[i] {
			if counts[e.Function][e.Statement] > 0 {
				seen[line] = true
			} else if block >= 0 && !known[e.Function][block] {
				unsure[line] = true
			}
		}
	}
	for line := range seen {
		delete(unsure, line)
	}
	return unsure
}

// unsureBranches returns how many branches of a file were not seen, and may have been taken.
func (l *layout) unsureBranches() (n int) {
	for _, f := range l.functions {
		for _, c := range f.Conditions() {
			n += 2 - c.Outcomes() - c.Never()
		}
	}
	return n
}
