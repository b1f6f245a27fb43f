package toolexec

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/goprofinstr/goprofinstr/rewrite/link"
	"github.com/goprofinstr/goprofinstr/rewrite/patch"
)

// linkWithCopies runs the linker, and puts counting copies behind the program. What goes wrong with copies does not cost the build:
// then the program counts nothing, and says so.
func linkWithCopies(args []string, records string) (exit int, err error) {
	list, strip := link.Arguments(args[1:])
	tool := exec.Command(args[0], list...)
	tool.Stdin, tool.Stderr = os.Stdin, os.Stderr
	if err := run(tool, Copies); err != nil {
		return exitCode(err)
	}
	program, ok := valueOf(args, "-o")
	if !ok {
		return 0, nil
	}
	archives, _ := valueOf(args, "-importcfg")
	l := link.Linked{Program: program, Archives: archives, Main: args[len(args)-1], Strip: strip}
	if err := link.Attach(l, records); err != nil {
		fmt.Fprintf(os.Stderr, "goprofinstr: no counting copies of %s: %v; nothing is counted\n", program, err)
		_, err := patch.RestoreNames(program)
		return 0, err
	}
	return 0, nil
}
