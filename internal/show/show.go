// Package show writes numbers and names as people read them, in reports and on pages.
package show

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Printable returns a line for a terminal or a page. Names and messages may hold what is in the files of others, and
// a terminal would obey it. All that is no letter, mark, number, symbol or blank is replaced by U+FFFD.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}

// Lines is Printable for text of several lines, with tabs.
func Lines(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}

// Grouped returns n with commas between groups of three digits.
func Grouped(n int64) string {
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

// Possible returns a number of possible paths, from 10⁹ on as 1.2e+15: then
// its size is all that matters.
func Possible(n *big.Int) string { return groupedBelow(n, 1e9) }

// Count returns a count in at most 15 columns, from 10¹² on as 1.2e+15.
func Count(n int64) string { return groupedBelow(big.NewInt(n), 1e12) }

// groupedBelow is Grouped for numbers below limit and 1.2e+15 for others.
func groupedBelow(n *big.Int, limit int64) string {
	if n.CmpAbs(big.NewInt(limit)) < 0 {
		return Grouped(n.Int64())
	}
	return new(big.Float).SetInt(n).Text('g', 2)
}

// Percent returns 100×n/of with one decimal, "-" of nothing. It says 100% only
// for all and 0% only for none.
func Percent(n, of int64) string {
	return PercentBig(n, big.NewInt(of))
}

// PercentBig is Percent of a number of possible paths.
func PercentBig(n int64, of *big.Int) string {
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

// Plural returns "1 function", "2 functions"; noun takes a plain s.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Grouped(int64(n)) + " " + noun + "s"
}

// PluralBig is Plural for numbers of paths.
func PluralBig(n *big.Int, noun string) string {
	if n.IsInt64() && n.Int64() == 1 {
		return "1 " + noun
	}
	return Possible(n) + " " + noun + "s"
}

// Short returns the name of a function without the folders of its package: "lex.(*scanner).next" of
// "example.com/m/lex.(*scanner).next".
func Short(name, pkg string) string {
	dirs := pkg[:strings.LastIndexByte(pkg, '/')+1]
	return Printable(strings.TrimPrefix(name, dirs))
}

// Round rounds to three digits or so.
func Round(d time.Duration) time.Duration {
	for unit := time.Second; unit > time.Nanosecond; unit /= 10 {
		if d >= 10*unit {
			return d.Round(unit / 10)
		}
	}
	return d
}

// Title returns a word as a sentence begins with it.
func Title(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// Times returns "once", "2 times".
func Times(n int64) string {
	if n == 1 {
		return "once"
	}
	return Count(n) + " times"
}

// First returns the first n of names, and says how many more there are.
func First(names []string, n int) string {
	if len(names) <= n {
		return Printable(strings.Join(names, ", "))
	}
	return Printable(strings.Join(names[:n], ", ")) + fmt.Sprintf(" and %d more", len(names)-n)
}
