// Package markdown reads the documents of this repository: their prose, sentences, headings and links.
//
// It knows the Markdown that they are written in, and no more: fenced code, code that is indented by four blanks, tables, lists
// of one level, links in place and links by reference.
//
//	[1.12][exact] times the plain time
//
//	[exact]: results/time.md#time-of-benchmarks "std; geometric mean; exact"
package markdown
