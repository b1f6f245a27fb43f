// Package strata samples events in strata, and feeds them to compressors: see strata.go and feed.go.
package strata

// U is the type of counters, path registers and path numbers.
type U = uint64
