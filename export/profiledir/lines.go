package profiledir

import (
	"encoding/binary"
	"hash/fnv"
	"strings"
)

// LineSumSize is the size of what LineSums has of a line: enough for a line not to be taken for another one of its file,
// and a fifth of the source.
const LineSumSize = 4

// LineSums returns a hash of each line of a source, so that others can tell which of them have changed without having a
// copy of it. Space at the end of a line does not count, and neither does a directive there, since it is about what ran.
func LineSums(src string) []byte {
	var sums []byte
	for line := range strings.SplitSeq(src, "\n") {
		if directive := strings.LastIndex(line, "//goprofinstr:"); directive >= 0 {
			line = line[:directive]
		}
		h := fnv.New32a()
		h.Write([]byte(strings.TrimRight(line, " \t\r")))
		sums = binary.BigEndian.AppendUint32(sums, h.Sum32())
	}
	return sums
}
