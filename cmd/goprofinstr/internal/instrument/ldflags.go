package instrument

import (
	"slices"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/rt"
)

// LinkFlags returns the flags for the go command that have the linker fill in the directory for the data of programs, so that those that are started without the
// environment variable find it. The user's -ldflags are repeated among them, and are to be removed from the command line. There are none if no quotation
// marks allow the directory's name.
func LinkFlags(c *gocmd.Command, tc *Toolchain, dir string) ([]string, error) {
	fill, err := joinQuoted([]string{"-X", rt.LinkedDir + "=" + dir})
	if err != nil {
		return nil, nil
	}
	inVariable, given, err := packageFlags(c, tc, "ldflags")
	if err != nil {
		return nil, err
	}
	flags := []string{"-ldflags=" + fill}
	for _, value := range slices.Concat(inVariable, given) {
		flags = append(flags, "-ldflags="+value+" "+fill)
	}
	return flags, nil
}
