// Package gate checks the coverage of a profile against demands, and says what is missing in words that a test can be written from: the
// conditions that would have to hold. The result is written as text, JSON, SARIF, and as GitHub's commands.
//
// What is measured are paths, branches (edges out of blocks with several), conditions (the outcomes true and false of each) and
// statements (runs of them, which are executed together). Declined functions are in none of these. A path that is infeasible by simple
// reasoning (see [profile.Function.Infeasible]) is not demanded, and neither is a branch or outcome that only such paths have. They are counted
// by a walk over the graph that keeps what is known of conditions; where that would take too long, because too many things are known in
// too many combinations, the paths of a function are demanded all, and the function is listed.
//
// What is marked with //goprofinstr:ignore, and generated files, are not demanded (see package ignore). A branch is not if it leads to what is
// marked, or from there; an outcome if all its branches do; a path if it passes what is marked, or takes such a
// branch; but a marked line in a longer block of the graph takes no path with it. The branch past a block that is marked is demanded.
//
// A function whose counts cannot be read counts as not covered, and so does what damaged run data would have to
// tell. Where the graph of a function, or a package, cannot be read, or something of the baseline, the check has
// failed: it is not known what is missing.
//
// On changed lines only, a path counts if one of its blocks has a changed line, a branch if its condition, or the block it leads to, has one, and so on.
//
// # Which paths to name
//
// A function can have more missing paths than anybody could list. What is named is chosen and ordered by use: first what would execute branches
// that nothing has executed, each time with those of the paths before taken for executed; among these what comes closest to what is executed
// often. Of a function with many paths only those are looked at that leave an executed path by one branch, or
// that lead through a branch that is missing.
package gate
