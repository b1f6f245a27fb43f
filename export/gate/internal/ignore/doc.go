// Package ignore finds code that gates leave alone: what is marked with //goprofinstr:ignore and a reason, and
// generated files.
//
//	os.Exit(2) //goprofinstr:ignore ends the test            a line
//
//	//goprofinstr:ignore no test has a full disk             alone on a line: the first line after the comment
//	if err := f.Sync(); err != nil {
//
//	if err != nil { //goprofinstr:ignore never fails         behind an opening brace, or the colon of a case: the block
//		return err
//	}
//
//	// Dump is for debugging.
//	//goprofinstr:ignore by hand                             in the comment before a function: the function
//	func Dump() {
//
//	//goprofinstr:ignore an example                          before the package clause: the file
//	package main
//
// A directive without a reason, or with a space behind the slashes, is not honoured, and is a [Fault].
//
// Directives are read from the sources as they are now, since tables have no comments. Directives of a function that is somewhere
// else in its file now are found there. Those of one that has changed are not honoured, apart from that of the file. Files of
// other modules are read as those of the main module are, as far as the go command knows where they are.
package ignore
