// Package usage tells mistakes in the command line from other errors: they end the process with another exit code,
// and package cli says which command they were made with.
package usage

import "fmt"

// An Error tells that what the user asks for cannot be had, whatever is built and run: the go command has nothing to
// say of it.
type Error struct{ err error }

// Errorf returns an Error of a text, which begins with the flag or argument that is wrong.
func Errorf(format string, args ...any) error { return &Error{fmt.Errorf(format, args...)} }

func (e *Error) Error() string { return e.err.Error() }

func (e *Error) Unwrap() error { return e.err }
