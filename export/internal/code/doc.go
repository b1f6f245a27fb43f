// Package code tells conditions, branches and paths in the words of the source.
//
//	texts := code.New(p)
//	f := texts.Of(function)
//	f.Condition(&c.Condition)  // s[i] == '\t', at 7:21, in s[i] == ' ' || s[i] == '\t'
//	f.Branch(id)               // s[i] == '\t' true
//	f.Path(path)               // for i < len(s), s[i] == ' ' false, s[i] == '\t' false, in false, line 6 again
//
// Everything that people read says it so: reports, checks, comparisons, annotations, pages and frames of pprof. A table
// has places and no text. The text is that of the syntax around a place, as long as the function is what ran (package
// source). Where it is not, there are lines instead: "line 7 true".
//
// A place in a table is that of an operator, for there go/ssa has the operation. Here an operand is where it begins. So
// it has one address, whoever names it.
//
// Two paths of a function never read the same. Branches that do have their places behind them: "in true (11:6)".
package code
