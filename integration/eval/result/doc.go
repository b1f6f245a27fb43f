// Package result has what experiments have found: reports, the statistics of their values, and how they are shown.
//
//	report.go  a report has measures (tables), which have rows; it is the form of JSON files
//	stats.go   ratios with bootstrap intervals, means, medians of shares
//	table.go   measures as text
//	summary.go sums, medians and ends of values that stand for themselves
//	markdown.go and as Markdown
//	address.go a value by the names of its suite, row and column
//	plot.go    measures as charts of package chart: bars,
//	lines.go   lines by time,
//	curves.go  and curves by any number
//
// A cell without a value has a reason. There is no mean over a row that failed.
package result
