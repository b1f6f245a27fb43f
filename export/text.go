package export

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goprofinstr/goprofinstr/export/internal/show"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// How numbers and names are written.
var (
	printable    = show.Printable
	grouped      = show.Grouped
	possibleText = show.Possible
	countText    = show.Count
	percent      = show.Percent
	percentBig   = show.PercentBig
	plural       = show.Plural
	pluralBig    = show.PluralBig
)

// Plural returns "1 function", "2 functions"; noun takes a plain s.
func Plural(n int, noun string) string { return plural(n, noun) }

// Printable returns a line for a terminal: names and messages may have what files of others have, and a terminal
// would obey. All that is no letter, mark, number, symbol or blank is replaced by U+FFFD.
func Printable(line string) string { return show.Printable(line) }

// PrintableText is Printable for several lines, with tabs.
func PrintableText(text string) string { return show.Lines(text) }

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

// title returns a word as a sentence begins with it.
func title(word string) string { return strings.ToUpper(word[:1]) + word[1:] }
