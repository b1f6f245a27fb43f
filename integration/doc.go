// Package integration holds tests of the program as a whole: on real third-party
// modules, and of the structure of the repository itself.
package integration
