package instrument

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/goprofinstr/goprofinstr/rewrite/load"
)

// TestUnheeded has directives that do nothing, or not all that they say.
func TestUnheeded(t *testing.T) {
	const src = `package p

//goprofinstr:kinds trips, cals
func F(n int) {
	for i := range n { //goprofinstr:value
		n = i //goprofinstr:value
	}
}

//goprofinstr:kinds calls

// G has a comment of its own.
func G(n int) {} //goprofinstr:kinds trips

//goprofinstr:kinds
func H() {}

//goprofinstr:kinds calls
//goprofinstr:kindsof nothing
func I() {}
`
	dir := t.TempDir()
	at := "." + string(filepath.Separator) + "p.go:"
	want := []string{
		at + "5: no statement that ends here assigns to a variable, so //goprofinstr:value does nothing; " +
			"put it behind an assignment, or where a function with parameters begins",
		at + `3: unknown kind "cals" in //goprofinstr:kinds (did you mean calls?); use calls, trips and values`,
		at + "10: //goprofinstr:kinds is not right above a function, so it does nothing; move it there",
		at + "13: //goprofinstr:kinds is not right above a function, so it does nothing; move it there",
		at + `15: unknown kind "" in //goprofinstr:kinds; use calls, trips and values`,
	}
	if got := unheeded(&load.File{Name: filepath.Join(dir, "p.go"), Src: []byte(src)}, dir); !slices.Equal(got, want) {
		t.Errorf("warnings %q, want %q", got, want)
	}
}
