package toolexec

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/linker"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/results"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/rewrite/link"
	"github.com/goprofinstr/goprofinstr/rewrite/patch"
)

// withDWARF returns the arguments of a tool without one that go run has for the compiler. The map needs DWARF, which is taken
// away after linking.
func withDWARF(args []string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == "-dwarf=false" })
}

// collectAt is how much garbage there may be, in percent of what is in use. The process ends soon, and collecting garbage took
// a third of its time.
const collectAt = 400

// unused is how many bytes are reserved that nothing is written to, so that they take no memory. Garbage is collected by what is
// in use, and they are: before some 500 MB it is hardly collected, which small programs do not need. Of large ones it is a part.
const unused = 128 << 20

// mostMemory is from how many bytes on garbage is collected more often: for large programs there is not the memory otherwise.
const mostMemory = 2 << 30

// linkPlaced runs the linker that places text as that of the plain program, and reports whether it has linked. If it has not, the
// toolchain's own says why, or links; why is what the first one said, "" if there is none.
func linkPlaced(args []string, records string) (linked bool, why string) {
	tool := linker.Command(records, args)
	if tool == nil {
		return false, ""
	}
	text, err := tool.CombinedOutput()
	if err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
		return false, strings.TrimSuffix(err.Error()+": "+first, ": ")
	}
	errs := &stripper{to: os.Stderr}
	_, err = errs.Write(text)
	return errors.Join(err, errs.flush()) == nil, ""
}

// linkWithCopies runs the linker, and puts counting copies behind the program. What goes wrong with copies does not cost the
// build: then the program counts nothing, and says so.
func linkWithCopies(args []string, records string) (exit int, err error) {
	debug.SetGCPercent(collectAt)
	debug.SetMemoryLimit(mostMemory)
	reserved := make([]byte, unused)
	defer runtime.KeepAlive(reserved)

	list, strip := link.Arguments(args[1:])
	archives, _ := valueOf(args, "-importcfg")
	main, keeper := args[len(args)-1], results.Open(new(toolchain.Toolchain)).Keeper()
	ahead := link.ReadAhead(archives, main, records, keeper)
	placed, why := linkPlaced(list, records)
	if !placed {
		tool := exec.Command(args[0], list...)
		tool.Stdin, tool.Stderr = os.Stdin, os.Stderr
		if err := run(tool, Copies); err != nil {
			return exitCode(err)
		}
	}
	program, ok := valueOf(args, "-o")
	if !ok {
		return 0, nil
	}
	l := link.Linked{Program: program, Archives: archives, Main: main, Strip: strip, Unplaced: why, Ahead: ahead}
	if err := link.Attach(l, records, keeper); err != nil {
		fmt.Fprintf(os.Stderr, "goprofinstr: no counting copies of %s: %v; nothing is counted\n", program, err)
		_, err := patch.RestoreNames(program)
		return 0, err
	}
	return 0, nil
}
