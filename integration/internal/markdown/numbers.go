package markdown

import (
	"math/bits"
	"regexp"
	"strconv"
	"strings"
)

// A Number is one in prose or in a cell of a table that looks as if it had been measured.
type Number struct {
	Line int // from 1
	Text string
}

var (
	candidate = regexp.MustCompile(`\d(?:[\d,]*\d)?(?:\.\d+)?(?:[·×]10[⁰¹²³⁴⁵⁶⁷⁸⁹]+)?` +
		`(?:\s?(?:%|×|(?:ns|µs|ms|s|seconds?|minutes?|hours?|kB|KB|MB|GB|points?|percent)\b))?`)
	version = regexp.MustCompile(`\b(?:Go|go|version|sections?|figures?|[Tt]ables?|Before|` + // what the number is of,
		`STRAT|PEP|PCCT|AUDIT|BL|DESIGN|lcov|TLS|HTTP|SARIF|Debian|Linux|Python|gcc|gcov)` +
		`(?: \d[\d.]*,?(?: and| to| or))* $`) // and others before it
	word = regexp.MustCompile(`[A-Za-z]{3}`)
)

// Measured returns the numbers of a document that look as if they had been measured:
//
//   - Numbers with a decimal point. Versions and sections have one, too, and are left out ("Go 1.26", "STRAT 5.3.1").
//   - Numbers with a unit of time, size or share.
//   - Thousands. Powers of two and numbers like 10,000 are left out: somebody has chosen them.
//   - Numbers of two digits or more that have a cell of a table for themselves.
//
// What is code or the text of a link is left out, and so are confidences of 95% and 99%.
func Measured(text string) (list []Number) {
	last := ""
	for i, l := range strings.Split(WithoutLinks(WithoutCode(Prose(text))), "\n") {
		for _, m := range candidate.FindAllStringIndex(l, -1) {
			n, before, after := l[m[0]:m[1]], l[:m[0]], l[m[1]:]
			if partOfWord(before, after) || !measured(n, last+" "+before) && (len(n) < 2 || !alone(l, before)) {
				continue
			}
			list = append(list, Number{i + 1, n})
		}
		last = l
	}
	return list
}

// partOfWord says of what stands before and behind a number that the number is a part of a name, a date or a version.
func partOfWord(before, after string) bool {
	return ends.MatchString(before) || begins.MatchString(after)
}

var (
	ends   = regexp.MustCompile(`[\pL\d.,#/_⁻]$|[\pL\d)]-$`) // a minus sign has nothing before it
	begins = regexp.MustCompile(`^(?:[.,]?\d|[\pL_])`)
	digits = regexp.MustCompile(`^\d[\d,]*$`)
	groups = regexp.MustCompile(`^\d{1,3}(?:,\d{3})+$`)
)

// measured says whether a number looks measured, by what stands before it.
func measured(n, before string) bool {
	switch {
	case n == "95%" || n == "99%":
		return false
	case digits.MatchString(n):
		return groups.MatchString(n) && !chosen(n)
	case strings.Contains(n, ".") && !strings.ContainsAny(n, " %×·"):
		return !version.MatchString(before)
	}
	return true
}

// chosen says of a number without a unit that it is a power of two or has one digit that is not 0.
func chosen(n string) bool {
	n = strings.ReplaceAll(n, ",", "")
	v, err := strconv.ParseUint(n, 10, 64)
	return err == nil && (bits.OnesCount64(v) == 1 || strings.Trim(n[1:], "0") == "")
}

// alone says whether a number behind before has a cell of a table without words.
func alone(line, before string) bool {
	if !strings.HasPrefix(line, "|") {
		return false
	}
	cells := strings.Split(line, "|")
	return !word.MatchString(cells[strings.Count(before, "|")])
}
