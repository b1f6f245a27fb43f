//go:build !386

package sys

// splitArguments returns the arguments of a command line of Windows, each ended by a NUL. Arguments stand between spaces.
// Quotation marks have spaces be part of one. Backslashes before a mark count half, and an odd one has the mark be part of the
// argument; other backslashes are what they are. Within marks, two of them stand for one.
//
//go:norace
func splitArguments(line string) (args []byte) {
	quoted, in, slashes := false, false, 0
	flush := func(n int) {
		for range n {
			args = append(args, '\\')
		}
		slashes = 0
	}
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\':
			slashes++
			in = true
		case c == '"' && slashes%2 == 1:
			flush(slashes / 2)
			args = append(args, c)
		case c == '"':
			flush(slashes / 2)
			if quoted && i+1 < len(line) && line[i+1] == '"' {
				args = append(args, c)
				i++
			}
			quoted, in = !quoted, true
		case (c == ' ' || c == '\t') && !quoted:
			flush(slashes)
			if in {
				args = append(args, 0)
			}
			in = false
		default:
			flush(slashes)
			args = append(args, c)
			in = true
		}
	}
	flush(slashes)
	if in {
		args = append(args, 0)
	}
	return args
}
