package profiledir

import "testing"

func TestLineSums(t *testing.T) {
	sums := func(line string) string { return string(LineSums(line)) }
	if got := LineSums("a\nb\n"); len(got) != 3*LineSumSize {
		t.Errorf("%d bytes for two lines and what is behind them", len(got))
	}
	for _, same := range [][2]string{
		{"x := 1", "x := 1\r"}, {"x := 1", "x := 1 \t"}, {"if x { //goprofinstr:ignore it cannot be", "if x {"},
		{`f("http://x") // y`, `f("http://x")`},
	} {
		if sums(same[0]) != sums(same[1]) {
			t.Errorf("%q and %q are not the same", same[0], same[1])
		}
	}
	for _, other := range [][2]string{
		{"x := 1", "x := 2"}, {"x := 1", "\tx := 1"}, {"x // y", "y"}, {"", "}"}, {"// x", ""}, {"// x", "// y"},
		{`"http://x"`, `"http://y"`}, {"'\"' // x", "'\"' // y"},
	} {
		if sums(other[0]) == sums(other[1]) {
			t.Errorf("%q and %q are the same", other[0], other[1])
		}
	}
}
