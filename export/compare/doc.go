// Package compare says what is different in two profiles of one program, or of two versions of it.
//
// Functions are those of equal names. If the name is gone, it is the one function without a counterpart that has the same graph:
// blocks, edges and what decides them. Lines do not matter, so edits elsewhere in a file change nothing. Paths are the same if
// they take the same edges. Where the graph of a function has changed, its blocks are aligned in their order, as lines of a text
// are by diff. Paths that keep to edges between aligned blocks are still the same.
//
// A path has a share of the executions of its function's paths. Of exact counts a path has changed if that is another by
// [MinChange] or more. Of samples it must not be chance, either: the two shares are compared as proportions,
//
//	z = (p₂ − p₁) / sqrt(p (1−p) (1/n₁ + 1/n₂))
//
// Here p is the share in both together, and n₁, n₂ are the samples of the function's paths divided by those of a burst. Samples
// of one burst are alike: only as many observations as there were bursts are taken to be independent. |z| must be at least
// [MinZ]. The same is asked of paths that were seen in one profile only.
//
// Conditions are the same if the edge is that is taken where they are true. What one profile has seen of a condition, and the
// other knows never to have happened, is listed. What may have happened unseen is not.
//
// # Not handled
//
// That a condition in the source is another one, with the same graph: tables have no text.
package compare
