package emit

import "testing"

// TestImports has a file import those packages of the runtime that its code mentions.
func TestImports(t *testing.T) {
	n := NewNames([][]byte{[]byte("package p\nvar gpi_x, Burst int\n")})
	code := []string{
		n.Sprintf("$sampled.Burst.On+%d;", 1),
		n.Sprintf("$abandon.Keep(%q,$U(%s))", "$strata.Feed", "$exact.Exact"), // of formats only
	}
	want := []string{`gpi__sampled.Burst.On+1;`, `gpi__abandon.Keep("$strata.Feed",gpi__rt.U($exact.Exact))`}
	for i := range want {
		if code[i] != want[i] {
			t.Errorf("got %s, want %s", code[i], want[i])
		}
	}
	n.Sprintf("$event.Leave()") // in another file
	const imports = `;import gpi__rt "goprofinstr/rt";import gpi__abandon "goprofinstr/rt/abandon"` +
		`;import gpi__sampled "goprofinstr/rt/sampled"`
	if got := n.Imports(code); got != imports {
		t.Errorf("got %s, want %s", got, imports)
	}
}
