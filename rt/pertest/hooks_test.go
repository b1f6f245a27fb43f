package pertest

import (
	"testing"

	"github.com/goprofinstr/goprofinstr/rt/internal/outside"
)

// fuzzed calls the hooks as package testing does for inputs of a fuzz test that has subtests.
const fuzzed = `package main

type common struct {
	name   string
	parent *common
}

type F struct {
	common
	tstate *testState
}

type testState struct{ isFuzzing bool }

var (
	told   []string
	tested = func(name string) { told = append(told, name) }
)

func fuzz(isFuzzing bool) (names []string) {
	told = nil
	f := &F{common{"FuzzX", &common{}}, &testState{isFuzzing}}
	goprofinstr_fuzz(f)
	for range 2 {
		input := &common{"FuzzX", &f.common}
		goprofinstr_enter(input)
		sub := &common{"FuzzX/sub", input}
		goprofinstr_enter(sub)
		goprofinstr_leave(sub)
		goprofinstr_parallel(input)
		goprofinstr_joined(input)
		goprofinstr_leave(input)
	}
	goprofinstr_leave(&f.common)
	return told
}

func main() {
	goprofinstr_start("p")
	if names := fuzz(true); len(names) != 2 || names[0] != "p FuzzX" || names[1] != "p " {
		println("fuzzed:", len(names), "names told, want that of the test and that of none")
	}
	if names := fuzz(false); len(names) != 14 || names[2] != "p FuzzX/sub" {
		println("with its seeds:", len(names), "names told, want 14, the third of the subtest")
	}
}
`

// TestFuzzed has package testing's hooks run outside of it.
func TestFuzzed(t *testing.T) {
	outside.Run(t, fuzzed, "testing.go.txt",
		"package testing", "package main", "\t\"runtime\"\n", "", "runtime.GoprofinstrTested", "tested")
}
