package profiledir

import (
	"encoding/binary"
	"hash/fnv"
	"strings"
)

// LineSumSize is the size of what LineSums has of a line. It is enough for a line not to be taken for another one of its
// file, and a fifth of the source.
const LineSumSize = 4

// LineSums returns a hash of each line of a source. So others can tell which lines have changed without having a copy of
// the source. Space at the end of a line does not count, and neither do comments behind code. They are not what ran, and
// directives are among them.
func LineSums(src string) []byte {
	var sums []byte
	for line := range strings.SplitSeq(src, "\n") {
		h := fnv.New32a()
		h.Write([]byte(withoutComment(line)))
		sums = binary.BigEndian.AppendUint32(sums, h.Sum32())
	}
	return sums
}

// withoutComment returns the code on a line, as far as quotes tell a comment from a string, or the comment if there is none.
func withoutComment(line string) string {
	for at := 0; ; at += 2 {
		next := strings.Index(line[at:], "//")
		if next < 0 {
			return strings.TrimRight(line, " \t\r")
		}
		at += next
		before := strings.TrimRight(line[:at], " \t")
		if before != "" && strings.Count(before, `"`)%2 == 0 && strings.Count(before, "`")%2 == 0 {
			return before
		}
	}
}
