// Package longtest leaves out tests that take long and hardly ever break, unless go test has the flag -long. CI has it.
package longtest

import (
	"flag"
	"testing"
)

var long = flag.Bool("long", false, "run what takes long, too; CI does")

// Wanted reports whether -long is given. Short mode, which builds no program, goes before it.
func Wanted() bool { return *long && !testing.Short() }

// Skip skips a test that is not wanted.
func Skip(t testing.TB) {
	t.Helper()
	if !Wanted() {
		t.Skip("takes -long")
	}
}
