// Package sampler decides when paths are sampled, and what a sample stands for. It is linked into
// instrumented programs, where package rt asks it at every tick of a clock of CPU time. So it imports
// nothing, allocates nothing and is plain arithmetic.
//
// It implements the sampling of Bond & McKinley, "Continuous path and edge profiling" (MICRO-38, 2005), here PEP,
// section 4.4. They follow Arnold & Grove. After a tick the ends of paths are sampling opportunities. With 4
// samples and a stride of 3 the first ones after two ticks are (■ is a sample):
//
//	timer      ■ □ □ □ □ □ □ □ □ □ □ □ □    ■ □ □ □ □ □
//	ag(4,3)    □ □ ■ □ □ ■ □ □ ■ □ □ ■ □    ■ □ □ ■ □ □ ■ □ □ ■
//	pep(4,3)   □ □ ■ ■ ■ ■ □ □ □ □ □ □ □    ■ ■ ■ ■ □ □
//
// The number of path ends before the first sample rotates among 0 … stride-1. Otherwise the path that is long enough
// to be hit by ticks would be sampled more often than others.
//
// # What a sample stands for
//
// The paper counts samples. A tick then weighs the same whether paths end every
// nanosecond or every millisecond, so fast phases are counted for too little. Here the path ends
// right after the tick are counted, too, in a window of some microseconds or until the next
// tick. A sample stands for
//
//	path ends in the window      CPU time from this tick to the next
//	─────────────────────────  ×  ───────────────────────────────────
//	  samples of the tick               CPU time in the window
//
// executions, where the time that signals and probes take in the window is not counted: see [Weight] and [Window.Net].
// Where all path ends between two ticks were sampled, this is 1, and the estimate is exact.
//
// # What is not sampled
//
// Where probes can be switched by themselves, those of path ends that are rare are on always, and count (see [Site]). The
// others have levels, by how often paths end there. A window of a level has the probes on of its level and of those below.
// So it sees many path ends of each level for one of the level above. The totals of the lowest level are known; those of the
// others follow from the level below in the same way. Package calibrate of export/profile makes estimates of what windows
// saw.
//
// # What sampling costs
//
// A [Governor] is told what each tick has cost and takes less samples and less ticks when that is more than its
// budget.
package sampler
