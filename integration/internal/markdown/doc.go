// Package markdown reads the documents of this repository: their prose, sentences, headings and links.
//
// It knows the Markdown that they are written in, and no more: fenced code, code that is indented by four blanks, tables, lists
// of one level, links in place and links by reference.
//
//	PEP adds [1.2][pep]% to the time.
//
//	[pep]: results/papers.md#time-that-profiling-adds "PEP(64,17); mean, %"
package markdown
