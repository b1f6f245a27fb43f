package rundata

import "strings"

// Program returns the base name of a program by its command line, which is that of any system: on Windows folders end with a
// backslash. It is "" if the command line is not known.
func Program(args []string) string {
	if len(args) == 0 {
		return ""
	}
	name := args[0]
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		return name[i+1:]
	}
	return name[strings.LastIndexByte(name, '\\')+1:]
}
