// Package page shows a profile as web pages: packages, whole files, and the source of a function with a path drawn through it,
// its control-flow graph and its callers. Comparisons of two profiles are a page, too.
//
//	site := page.New(p, "goprofinstr.out")
//	http.Serve(listener, site.Handler(true))   // goprofinstr view
//	err := site.WriteReport(w)                 // goprofinstr report -format html
//	err = page.WriteDiff(w, c, "a", "b", 20)   // goprofinstr diff -format html a b
//
// Pages are made by html/template from the model of package profile; what the script does is select a path in a page that has
// them all, draw the graph, and search. The report is the same in one file. Style sheet and script are those of package look,
// which pages of audits have, too.
//
// # Safety
//
// Source text and names are data of whoever wrote the profiled program. They are escaped by html/template and nowhere put
// together by hand, and what could hide in them (control characters, bidirectional overrides) is replaced as in other formats.
// A Content-Security-Policy allows no inline script and no inline style, in the report none but those whose hashes it has, and
// no connection to anywhere else. A page on a loopback address answers only to loopback names, for a web site may give its own
// name that address (DNS rebinding), and only to GET.
//
// # Graph layout
//
// The graph is laid out by dagre (assets/dagre.min.js, MIT licence), a maintained JavaScript library for layered graphs, 49 kB,
// that needs nothing else. ELK and Graphviz as WebAssembly are some thirty times as large.
//
// # Not handled
//
// Blocks are where the table says that they begin, and end where the next one does, so a line is coloured as a whole unless
// several begin on it. Graphs of more than 400 blocks are drawn only when asked for. The paths through a line are listed when
// its count is clicked on; there is no key for that.
package page
