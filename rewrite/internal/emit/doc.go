// Package emit names things in rewritten code: our own variables, which no name in the user's source may be, and
// what the runtime declares.
//
// Code is text. In a format, a name behind a $ is one that the runtime declares:
//
//	n.Sprintf("$Feed(&%s[%d],%s)", n.Hashes, hash, value)  // gpi_rt.Feed(&gpi_H[3],gpi_r)
//
// Which package of the runtime declares a name is known here and nowhere else.
package emit
