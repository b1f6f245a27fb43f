// Package overhead times benchmarks in every mode, and builds of them: eval time. Other experiments give it modes of
// their own.
package overhead
