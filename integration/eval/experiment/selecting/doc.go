// Package selecting holds goprofinstr select against histories of modules: eval select.
//
// Of each commit that changes Go files, the tests of its parent run, each alone, and are profiled. For what the commit changes
// some tests are selected. All tests run then, before the commit and with it. A test is missed if its result, or that of a
// subtest, is another with the commit, and it was not selected; so is one that is new. The commit's own profile says which tests
// execute what it has changed, too. One of these that the parent's profile has not selected is called late: its result may have
// been the same by chance.
package selecting
