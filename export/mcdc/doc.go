// Package mcdc tells of each decision of a profile which conditions have been shown to affect it independently:
// modified condition/decision coverage.
//
//	texts := code.New(p)
//	for _, d := range mcdc.Of(f, texts, nil).Decisions {
//		d.Effects[1].State // of the second condition: shown, missing, constant, infeasible, unknown
//	}
//
// What a decision is, and what shows an effect, is in package decision. This package finds the condition vectors in
// paths. They are all there, without any other instrumentation. Control branches on each operand of && and || but, in
// some places, the last one, and a path has the branches it takes.
//
// # Vectors are whole
//
// A path is cut at back edges, and a back edge leads to the header of a loop. The first condition of a decision is
// evaluated before all others and every way to them leads over it. So no other one is in a header. A loop's own condition
// is evaluated behind the cut, in the path that starts at its header. The last branch of a post statement is the back
// edge itself, which is in the path that it ends. Calls in a condition do not end a path: function literals have paths of
// their own.
//
// Functions of more paths than 64 bits can number are cut at other edges, too, and decisions may be in two paths or more
// then. The path that goes on begins where the edge leads. If evaluations have come there in one way only, that is how
// they began. If there were several, the vectors are alternatives: what all of them show is known.
//
// An activation that a panic abandoned in a decision has evaluated a part of it. It had no outcome, and is counted apart.
//
// # What is not known
//
//   - Nothing branches on the last condition of a && b where the outcome is stored or passed on, x := a && b. Then a has
//     been true or false, and b is unknown. What follows whatever b was is known nevertheless.
//   - A condition without a branch is constant, if the rest of the decision fits. Or the graph has lost it: edges
//     that no place in the source tells apart are one ([table.Function.Merged]).
//   - Walks of abandoned activations that counters of edges tell ([table.Function.Counted]) may be others with the same
//     edges. If there are such others, the vectors are not used.
//   - What was not seen of sampled paths may have been executed ([Effect.Doubtful]).
//   - Without the source of a function, or of a decision in it, it is not known what decisions there are.
package mcdc
