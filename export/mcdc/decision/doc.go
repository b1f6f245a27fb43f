// Package decision assesses modified condition/decision coverage (MC/DC) of one boolean expression, given the
// condition vectors with which it was evaluated.
//
// A decision is an expression of conditions, &&, || and !. A [Vector] has the value of each condition in one
// evaluation, and "–" for those that were not evaluated. Of a && (b || c) there are four:
//
//	true·true·–        true
//	true·false·true    true
//	true·false·false   false
//	false·–·–          false
//
// A condition is shown to affect the decision independently by two vectors. It is true in one and false in the other,
// the outcomes differ, and nothing else made them differ. Three criteria say what that means:
//
//   - [UniqueCause]: all other conditions have the same value in both, as far as they were evaluated in both. This is
//     the original definition: Chilenski & Miller, Applicability of modified condition/decision coverage to software
//     testing, 1994; DO-178C, glossary and 6.4.4.2.c.
//   - [Masking]: the condition decides the outcome in both, and other values may differ. In both, another value of
//     the condition alone would give the other outcome. This is CAST-6, Rationale for accepting masking MC/DC, 2001.
//   - [UniqueCauseMasking]: as masking, and only conditions that are coupled with this one differ. It is for
//     conditions that cannot be changed alone: Chilenski, An investigation of three forms of the MC/DC criterion,
//     DOT/FAA/AR-01/18, 2001.
//
// What has unique cause has the second, and what has the second has masking. Hayhurst, Veerhusen, Chilenski &
// Rierson, A practical tutorial on MC/DC, NASA/TM-2001-210876, 2001, explains all of them.
//
// # Masking by walking the tree
//
// Which conditions decide follows from the tree alone ([Expr.Decides]). An operand of && or || may decide no more
// because of the operand behind it. That is so if the latter was evaluated and is false for &&, or true for ||. No
// pair is needed: a condition that decides while it is true, and in another vector while it is false, has had two
// outcomes. gcc masks so, too (Kvalsvik, Modified condition/decision coverage in the GNU compiler collection, 2025),
// and finds the operands in the control-flow graph.
//
// # Departures
//
// DO-178C and CAST-10 (What is a "decision" in application of MC/DC and decision coverage, 2002) count every boolean
// operator. Here == and != of booleans are conditions. What is in their operands is a decision of its own, as gcc and
// clang have it. As in CAST-10, each occurrence of a condition is a condition. A condition that was not evaluated may
// have either value, so it agrees with both; go evaluates no operand that does not matter.
package decision
