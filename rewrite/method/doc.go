// Package method has the ways of counting: one file each, behind one interface.
//
//	exact    every path end adds one to a counter
//	shards   the same, and loses nothing under concurrency: counters of the thread, or atomic ones under -race
//	ticks    a path end is a test whether there is a burst; ticks of CPU time begin bursts
//	native   a path end is a store that is patched away after linking, and patched in for bursts
//	copies   a path end is nothing; ticks have threads run copies of the machine code, which count
//	strata   some path ends are messages, each of which stands for many; code in line decides
//	fed      the same, with a compressor that takes a call
//
// A [Method] says how the functions of one package are counted. In strata and fed, functions that have few paths
// are counted exactly. So what happens at the ends of paths is asked of each function's [Paths]. Other events than
// paths (see [Event]) are counted or sampled with them.
//
// A new way of counting is a file here, which registers it by name, and what it needs at run time. Another file in
// export/profile/internal/method, which has the same name, says what its counts are.
package method
