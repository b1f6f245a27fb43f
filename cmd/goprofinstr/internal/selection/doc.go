// Package selection says which tests a change may give another result, from what each of them has executed before:
//
//	d, err := selection.ReadData(dir)           // of wrap -per-test -alone
//	s, err := selection.Select(d, "origin/main")
//	err = s.WriteText(w, true)
//
// A change is what differs between a revision and the files as they are, and what differs between the commit of the data and
// these files. What it means for tests follows from declarations, old and new:
//
//   - Of a function whose body has changed, those tests are selected whose processes have entered it.
//   - A type, a constant, a variable, the signature of a function or the methods of a type are changed for all declarations that
//     mention the name, and for those that mention these: functions that do count as changed in their bodies.
//   - What runs when a package is initialised, its imports, directives, and all that is not Go select all tests
//     of all packages that depend on it.
//   - A declaration that is new, or is gone, changes nothing by itself: what refers to it has changed, too, or does not compile.
//     Packages of which no test is selected are compiled for that.
//   - Of test files, tests are selected that have changed or mention what has, over any number of declarations.
//   - A file of any kind selects the tests that have opened it, those that start programs, and all of packages that embed it.
//     One in testdata selects all of the package around it. One that is not Go selects those that have looked for it, too.
//   - Files of packages that git does not track have changed unless the data tell that they are the same, and packages outside of
//     the module or workspace have always.
//   - Tests that are new, have failed before or have no data are always selected.
//
// Names are compared as words: a local variable that has the name of a changed constant is a mention of it. It makes for more
// tests, never for fewer.
//
// Not seen are: lines that move, for tests that print line numbers; files that a package reads before its tests begin,
// unless they are in testdata; files that git ignores or that are outside of the module, unless they are compiled or embedded;
// what another machine, the clock or chance decide; and what a test would do in another environment.
package selection
