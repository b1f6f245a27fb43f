package sampler

import "testing"

// TestCopySlowdown has windows of 100 µs. What records take is not the program's time, and there is always some left.
func TestCopySlowdown(t *testing.T) {
	var few, many, short CopySlowdown
	for range 100 {
		few.Net(100_000, 10)
		many.Net(100_000, 8_000)
		short.Net(1_000, 10_000)
	}
	f, m, s := few.Net(100_000, 10), many.Net(100_000, 8_000), short.Net(1_000, 10_000)
	if f > 100_000-copySignals || f < 90_000 {
		t.Errorf("10 records leave %d ns", f)
	}
	if m >= f || m < 10_000 {
		t.Errorf("8000 records leave %d ns", m)
	}
	if s == 0 || s > 1_000 {
		t.Errorf("a window of 1000 ns has %d", s)
	}
	if again := few.Net(100_000, 8_000); again <= m {
		t.Errorf("one window of many records has %d ns, and those before it do not count", again)
	}
}
