package emit

import (
	"maps"
	"testing"
)

// TestImports has a file import those packages of the runtime that its code mentions.
func TestImports(t *testing.T) {
	defer func(was map[string]string) { declaredIn = was }(maps.Clone(declaredIn))
	declaredIn = map[string]string{"Feed": "strata", "Burst": "sampled", "Kept": "sampled/inner", "Exact": "exact"}
	n := NewNames([][]byte{[]byte("package p\nvar gpi_x, Burst int\n")})
	code := []string{n.Sprintf("$Burst.On+%d;", 1), n.Sprintf("$Kept(%q,$U(%s))", "$Feed", "$Exact")}
	want := []string{`gpi__sampled.Burst.On+1;`, `gpi__sampled_inner.Kept("$Feed",gpi__rt.U($Exact))`}
	for i := range want {
		if code[i] != want[i] {
			t.Errorf("got %s, want %s", code[i], want[i])
		}
	}
	const imports = `;import gpi__rt "goprofinstr/rt";import gpi__sampled "goprofinstr/rt/sampled"` +
		`;import gpi__sampled_inner "goprofinstr/rt/sampled/inner"`
	if got := n.Imports(code); got != imports {
		t.Errorf("got %s, want %s", got, imports)
	}
}
