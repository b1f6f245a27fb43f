// Package stream compresses streams of events by sampling and counting. It has the components of Sastry, Bodík & Smith,
// "Rapid profiling via stratified sampling" (ISCA-28, 2001), here STRAT. It is linked into instrumented programs beside
// package rt. So it imports nothing, allocates nothing once a compressor is made, and takes no lock: one thread at a time
// may be in a compressor. It does the same each time if it is seeded the same.
//
// An event is a [Tuple]: a site and the value that it had there. The site (STRAT's PC) is that of a function, a call or a branch;
// the value is the path, the callee or the side taken. A [Compressor] takes events and returns messages, which are far fewer: a
// tuple and how many events the message stands for. The sum of the messages of a tuple is an estimate of how often it occurred.
//
//	STRAT    written       type                     messages                                                   counts are exact in total
//	P_r      P256          [Periodic]               every 256th event, with the count 256                      yes
//	         S256          [Periodic]               the same, but the first after 1 to 256, drawn              yes, with [Compressor.Held]
//	         F256          [Periodic]               the same, but the first event is one                       yes, with [Compressor.Held]
//	         B256          [Block]                  one, drawn, of each 256 events                             yes, with [Compressor.Held]
//	R_r      R256          [Random]                 an event with probability 1/256, memoryless                no: 256 for each
//	ref. 15  D256          [Countdown]              after 1 to 511 events, drawn                               no: 256 for each
//	C        CR256, CD256  [Counter]                as those of R256, D256, with the count since the last one  yes
//	H[X]_n   H[P256]2048   [Strata], [Splitter]     as those of P256 in each of 2048 substreams                as P256
//	         Hx[P256]2048                           with STRAT's own hash, [Fold], for that of [Index]         as P256
//	sec. 4   T2[P256]2048  [Tagged]                 entries that know their tuples by tags of 2 bits           yes
//	A_k      A16           [Table]                  each event, but those of 16 tuples at a time together      yes, each tuple's
//	         X+A16         [Pipeline]               those of X, these together                                 as X
//
// "Yes" means: the sum of all messages and of what [Compressor.Held] tells is the number of events, at any time. For the
// others it is so in the mean.
//
// # Example
//
// H[P4]2, with a hash that puts a and c into the first stratum and b into the second. The counters count up to 4, and begin
// with 0:
//
//	event           a  b  a  a  b  b  c  a  b  a
//	first stratum   1     2  3        0  1     2
//	second             1        2  3        0
//	message                           c,4   b,4
//
// The estimate is 4 c and 4 b of 5 a, 4 b and 1 c. Two events are held in the first stratum. (The c is bad luck: of the
// events of the first stratum five in six are a.) P4 alone would have said a and a, and known nothing of b.
//
// # The first interval
//
// STRAT begins with counters at 0. Then the first r-1 events of each stratum have no chance to be sampled. For one stratum this
// does not matter. With 2048 strata it keeps half a million events (for r = 256) from the profile. Tuples that occur fewer than r
// times never show if they have their stratum for themselves. S starts at one of the r counts, drawn evenly; the literature on
// statistics calls it systematic sampling. Then every event has the probability 1/r to be sampled, from the first on, and
// estimates are unbiased at any time. The price is that the messages of a stratum may stand for up to r-1 events more than there
// were. F samples the first event of each stratum. All strata with any event show, but the counts of messages are too large by
// (r-1)/2 in the mean. F is for estimates by the length of strata, which is known.
//
// # Periods
//
// Programs have periods. Where two frequent tuples are in one stratum and come in turn, every 256th event may be the same one of
// them for long. No length of the stream mends that. B has no period, and is otherwise as good as S: each block of r events has
// one message.
//
// # What is not handled
//
//   - Events have no weight: each is one occurrence.
//   - What [Table] holds comes out with [Table.Flush]. What others hold has no tuple, and stays where it is.
//   - Counts of a stratum, an entry or a substream are of 32 bits; rates are at most [MostRate].
package stream
