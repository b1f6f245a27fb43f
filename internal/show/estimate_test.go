package show

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestEstimate(t *testing.T) {
	for _, test := range []struct {
		Estimate
		text, says string
	}{
		{Estimate{N: 168, Samples: 7, Low: 168, High: 168}, "?", "7 samples, too few for a number"},
		{Estimate{N: 168, Samples: 8, Low: 168, High: 168}, "~200", "8 samples, 95% sure: 50 to 300"},
		{Estimate{N: 10_443, Samples: 32, Low: 10_443, High: 10_443}, "~10,000", "32 samples, 95% sure: 6,000 to 15,000"},
		{Estimate{N: 842_831_380, Samples: 5000, Low: 400_000_000, High: 900_000_000}, "~800,000,000", "5,000 samples, 95% sure: 400,000,000 to 900,000,000"},
		{Estimate{N: 842_831_380, Samples: 5000, Low: 842_000_000, High: 843_500_000}, "~842,800,000", "5,000 samples, 95% sure: 842,000,000 to 843,500,000"},
		{Estimate{N: 5, Samples: 5, Low: 5, High: 5}, "?", "5 samples, too few for a number"},
		{Estimate{N: 3, Samples: 9, Low: 2, High: 4}, "~3", "9 samples, 95% sure: 2 to 4"},
		{Estimate{N: 1 << 60, Samples: 1 << 20, Low: 1 << 60, High: 1 << 60}, "~1.2e+18", "1,048,576 samples, 95% sure: 1.2e+18 to 1.2e+18"},
		{Estimate{N: 14_600_000, Samples: 5000, Low: 1_900_000, High: 420_000_000}, "~10,000,000", "5,000 samples, 95% sure: 1,000,000 to 500,000,000"},
		{Estimate{N: 1000, Samples: 3, Exact: 990, Low: 990, High: 1020}, "~1,000", "3 samples, 95% sure: 990 to 1,020"},
		{Estimate{N: 8570, Samples: 1, Exact: 6600, Low: 6600, High: 16_165}, "≥6,600", "what was counted; 1 sample of the rest, too few for a number"},
		{Estimate{N: 1000, Samples: 3, Exact: 10, Low: 990, High: 1020}, "≥10", "what was counted; 3 samples of the rest, too few for a number"},
		{Estimate{N: 10_800, Exact: 10_800, Low: 10_800, High: 10_800, Open: true}, "≥10,800", "what was counted; 0 samples of the rest, too few for a number"},
	} {
		if got := test.String(); got != test.text {
			t.Errorf("%+v is %s, want %s", test.Estimate, got, test.text)
		}
		if got := test.Range(); got != test.says {
			t.Errorf("%+v is %s, want %s", test.Estimate, got, test.says)
		}
	}
	e := Estimate{N: 8_930_000, Samples: 10, Low: 8_930_000, High: 8_930_000}
	if got := e.Duration(); got != 9*time.Millisecond {
		t.Errorf("%v", got)
	}
}

func TestShare(t *testing.T) {
	for _, test := range []struct {
		n, of, samples int64
		want           string
	}{
		{1, 0, 100, "-"}, {1, 2, 7, "?"}, {1, 2, 8, "~50%"}, {1234, 10_000, 20, "~12%"}, {5000, 10_000, 10, "~50%"}, {4600, 10_000, 40, "~50%"}, {1234, 10_000, 200, "~12%"},
		{1234, 10_000, 20_000, "~12.3%"}, {1, 1, 10, "~100%"},
		{1, 10_000, 20, "<0.1%"}, {99_999, 100_000, 20_000, ">99.9%"}, {0, 10, 20, "~0%"},
	} {
		if got := Share(test.n, test.of, test.samples); got != test.want {
			t.Errorf("%d of %d, %d samples: %s, want %s", test.n, test.of, test.samples, got, test.want)
		}
	}
}

func TestFillSteps(t *testing.T) {
	long := "a very long condition that is wider than a whole line of a terminal of eighty columns, by far == true"
	for line := range strings.Lines(FillSteps([]string{"x", long, "y"}, "  ")) {
		if n := utf8.RuneCountInString(line) - 1; n > Width || !strings.HasPrefix(line, "  ") {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if got := FillSteps([]string{"x", long, "y"}, "  "); !strings.Contains(got, "a very") || !strings.Contains(got, "== true → y\n") {
		t.Errorf("%q", got)
	}
	if got := Fill([]string{"aa", "bb", "cc"}, " ", 6); got != " aa bb\n cc\n" {
		t.Errorf("%q", got)
	}
}

// TestBounds has bounds be no tighter than what they are of.
func TestBounds(t *testing.T) {
	for n, want := range map[int64]string{0: Unknown, 7: "≥7", 499_999: "≥400,000", 4_220_768_871: "≥4,000,000,000"} {
		if got := AtLeast(n); got != want {
			t.Errorf("at least %d: %s, want %s", n, got, want)
		}
	}
	for share, want := range map[float64]string{0.6501: "≤66%", 0.1: "≤10%", 0.0021: "≤0.3%", 0: "≤0.1%", 1.2: "≤100%"} {
		if got := AtMost(share); got != want {
			t.Errorf("at most %g: %s, want %s", share, got, want)
		}
	}
}
