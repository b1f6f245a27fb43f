//go:build !386

package sys

import (
	"strings"
	"testing"
)

func TestSplitArguments(t *testing.T) {
	for line, want := range map[string]string{
		``:                                 "",
		`program.exe`:                      "program.exe|",
		`"C:\a b\p.exe"  -x=1	y `:          `C:\a b\p.exe|-x=1|y|`,
		`p "a\\" b\\c \\"d e" \"f ""`:      `p|a\|b\\c|\d e|"f||`,
		`p "say ""it""" trailing\`:         `p|say "it"|trailing\|`,
		`p -test.testlogfile="C:\a b\log"`: `p|-test.testlogfile=C:\a b\log|`,
	} {
		if got := strings.ReplaceAll(string(splitArguments(line)), "\x00", "|"); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}
