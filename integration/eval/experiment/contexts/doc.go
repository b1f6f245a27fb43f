// Package contexts measures calling contexts, with integration/eval/contexts: eval contexts. The benchmarks
// of each suite are measured in another way: precision, agreement with runtime/pprof, and memory.
package contexts
