package steps

// Bools are variables that a comparison is assigned to. The comparison may be made again where they are asked for.

// Broken cuts the end of a line. One jump asks for ends, behind five compares that are the same (goldmark's parseBlock).
//
//go:noinline
func Broken(line []byte, by func() int) (n int) {
	length := len(line)
	var flags uint8
	ends := line[length-1] == '\n'
	if ((length >= 3 && line[length-2] == '\\' && line[length-3] != '\\') || (length == 2 && line[length-2] == '\\')) && ends {
		length -= 2
		flags |= 5
	} else if length >= 3 && line[length-3] == ' ' && line[length-2] == ' ' && ends {
		length -= 3
		flags |= 1
	} else if length >= 4 && line[length-4] == ' ' && line[length-3] == ' ' && line[length-2] == '\r' && ends {
		length -= 4
		flags |= 1
	} else if ends {
		flags |= 2
	}
	n = by()
	for i := range length {
		if line[i] == '!' {
			break
		}
		n += int(flags) + i
	}
	return n
}
