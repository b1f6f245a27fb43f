package inline

import (
	"cmp"
	"path/filepath"
	"slices"
)

// A LostCall is a call that is not inlined any more.
type LostCall struct {
	Call
	Package string // import path of the package that was compiled
	Times   int    // how often: calls on one line, or in generated functions, may have the same position
}

// Lost compares what the compiler has inlined in the packages that wanted selects by ID. It returns the calls that are inlined in
// the user's own code and not in ours, sorted by package and position. total is how many of the user's there are at all. Since
// code is inserted into lines, calls of one function on one line are told apart only by their number. What is compiled again for
// a test is not counted twice.
func Lost(plain, instrumented map[string]*Compilation, wanted func(id string) bool) (lost []LostCall, total int) {
	type counts struct {
		at          Call
		total, lost int
	}
	type key struct {
		pkg, file, callee string
		line              int
	}
	found := make(map[key]*counts)
	for _, id := range sortedKeys(plain) {
		if !wanted(id) {
			continue
		}
		now := make(map[key]int)
		if c := instrumented[id]; c != nil {
			for _, call := range c.Calls {
				now[key{line: call.Line, file: filepath.Base(call.File), callee: call.Callee}]++
			}
		}
		before := make(map[key][]Call)
		for _, call := range plain[id].Calls {
			k := key{line: call.Line, file: filepath.Base(call.File), callee: call.Callee}
			before[k] = append(before[k], call)
		}
		for k, calls := range before {
			n := max(0, len(calls)-now[k])
			k.pkg = Tested(id)
			if found[k] == nil {
				found[k] = &counts{at: calls[0]}
			}
			found[k].total, found[k].lost = max(found[k].total, len(calls)), max(found[k].lost, n)
		}
	}
	for k, c := range found {
		total += c.total
		if c.lost > 0 {
			lost = append(lost, LostCall{c.at, k.pkg, c.lost})
		}
	}
	slices.SortFunc(lost, func(a, b LostCall) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), cmp.Compare(a.Callee, b.Callee))
	})
	return lost, total
}
