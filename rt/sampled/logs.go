package sampled

// ends returns how many path ends a log has, with what it counts from.
//
//go:norace
func ends(log U) U { return logs[log].ends }

// setEnds has a log count from n.
//
//go:norace
func setEnds(log, n U) { logs[log].ends = n }

// entry returns entry n of a log.
//
//go:norace
func entry(log, n U) *ended { return &logs[log].path[n] }
