package label

import (
	"regexp"
	"strconv"
	"strings"
)

// infix is what comes between the name of a file and the number of a label.
const infix = "~gpi"

// most is the number of labels that a file may have. Their numbers have four digits, since what the suffix takes must go into
// a number of ten bytes in DWARF (see package restore).
const most = 36 * 36 * 36 * 36

// Name returns the name of a file with a label.
func Name(file string, number int) string { return file + infix + strconv.FormatInt(int64(number), 36) }

// Split returns the name and the number that Name was given. If the name has no label it is returned as it is.
func Split(name string) (file string, number int, ok bool) {
	i := strings.LastIndex(name, infix)
	if i < 0 {
		return name, 0, false
	}
	digits := name[i+len(infix):]
	n, err := strconv.ParseInt(digits, 36, 32)
	if err != nil || n < 0 || n >= most || strconv.FormatInt(n, 36) != digits {
		return name, 0, false
	}
	return name[:i], int(n), true
}

// position matches a label at the end of a file's name, with the colon that a line follows.
var position = regexp.MustCompile(infix + `[0-9a-z]{1,4}(:\d)`)

// Strip takes the labels off the names of files that positions in a text begin with.
func Strip(text []byte) []byte { return position.ReplaceAll(text, []byte("$1")) }
