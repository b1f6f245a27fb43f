package export

import (
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goprofinstr/goprofinstr/export/profile"
)

// maxShownLines is how many lines of a path are shown where space is dear;
// the middle of longer ones is left out. Twelve lines of three digits fill half
// a terminal's width.
const maxShownLines = 12

// lineSequence returns the steps of a path as "12→14→17". If there are more
// than most (at least 3), the middle is replaced by "…".
func lineSequence(steps []string, most int) string {
	if len(steps) <= most {
		return joinSteps(steps)
	}
	// The start tells more about a path than its end.
	tail := max(1, (most-1)/3)
	head := most - 1 - tail
	return joinSteps(steps[:head]) + "→…→" + joinSteps(steps[len(steps)-tail:])
}

func joinSteps(steps []string) string { return strings.Join(steps, "→") }

// pathTitle is how frames and folded stacks call a path: "{path 3: 12→14→17}". The number tells paths
// apart; so there are no columns here, which would make a hard name harder.
func pathTitle(f *profile.Function, p *profile.Path) string {
	return "{path " + strconv.FormatUint(p.ID, 10) + ": " + lineSequence(lineTexts(f, p), maxShownLines) + "}"
}

func lineTexts(f *profile.Function, p *profile.Path) []string {
	var texts []string
	for _, l := range f.Lines(p) {
		texts = append(texts, strconv.Itoa(l))
	}
	return texts
}

// printable replaces what would break a line or hide in it.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}

// shortenLeft returns s in at most width runes. What it drops from the left
// it replaces by "…", and it cuts after a "/" if that leaves at least half.
func shortenLeft(s string, width int) string {
	runes := []rune(s)
	if len(runes) <= width {
		return s
	}
	tail := string(runes[len(runes)-width+1:])
	if i := strings.IndexByte(tail, '/'); i >= 0 && utf8.RuneCountInString(tail[i:]) >= width/2 {
		tail = tail[i:]
	}
	return "…" + tail
}

// shortenRight is like shortenLeft but drops from the right.
func shortenRight(s string, width int) string {
	runes := []rune(s)
	if len(runes) <= width {
		return s
	}
	return string(runes[:width-1]) + "…"
}

// padRight and padLeft fill s with blanks up to width runes. fmt would do, but
// these keep the columns of a table readable in the code.
func padRight(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}

func padLeft(s string, width int) string {
	return strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s))) + s
}

// grouped returns n with commas between groups of three digits.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// possibleText returns a number of possible paths, from 10⁹ on as 1.2e+15: then
// its size is all that matters.
func possibleText(n *big.Int) string { return groupedBelow(n, 1e9) }

// countText returns a count in at most 15 columns, from 10¹² on as 1.2e+15.
func countText(n int64) string { return groupedBelow(big.NewInt(n), 1e12) }

// groupedBelow is grouped for numbers below limit and 1.2e+15 for others.
func groupedBelow(n *big.Int, limit int64) string {
	if n.CmpAbs(big.NewInt(limit)) < 0 {
		return grouped(n.Int64())
	}
	return new(big.Float).SetInt(n).Text('g', 2)
}

// percent returns 100×n/of with one decimal, "-" of nothing. It says 100% only
// for all and 0% only for none.
func percent(n, of int64) string {
	return percentBig(n, big.NewInt(of))
}

func percentBig(n int64, of *big.Int) string {
	if of.Sign() <= 0 {
		return "-"
	}
	share, _ := new(big.Rat).SetFrac(new(big.Int).Mul(big.NewInt(100), big.NewInt(n)), of).Float64()
	switch {
	case n == 0:
		return "0%"
	case of.IsInt64() && of.Int64() == n:
		return "100%"
	case share < 0.1:
		return "<0.1%"
	case share > 99.9:
		return ">99.9%"
	}
	return strconv.FormatFloat(share, 'f', 1, 64) + "%"
}

// plural returns "1 function", "2 functions"; noun takes a plain s.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return grouped(int64(n)) + " " + noun + "s"
}
