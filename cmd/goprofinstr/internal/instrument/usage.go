package instrument

import "fmt"

// A UsageError tells that what the user asks for cannot be had. It is found before anything is built, and the go
// command has nothing to say of it.
type UsageError struct{ err error }

func (e *UsageError) Error() string { return e.err.Error() }

func (e *UsageError) Unwrap() error { return e.err }

// usagef returns a UsageError of a text.
func usagef(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }
