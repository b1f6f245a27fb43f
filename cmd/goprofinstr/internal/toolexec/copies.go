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
)

// withDWARF returns the arguments of a tool without -dwarf=false, which go run gives the compiler. The map needs DWARF, which is
// taken away after linking.
func withDWARF(args []string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == "-dwarf=false" })
}

// The process ends soon, and collecting garbage took a third of its time. So there is no collection up to uncollected bytes, and
// then garbage of collectAt percent of what is in use. From mostMemory bytes on garbage is collected more often: for large
// programs there is not the memory otherwise.
const (
	uncollected = 640 << 20
	collectAt   = 400
	mostMemory  = 2 << 30
)

// collectLate has the collector begin late. Considered: a reserve that is in use. To allocate it begins a collection, whose end
// kept a thread busy while the linker ran.
func collectLate() {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(uncollected)
	first := new([64]byte) // garbage, which the first collection finds
	runtime.AddCleanup(first, func(percent int) {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(mostMemory)
	}, collectAt)
}

// linkPlaced runs the linker that places text as that of the plain program, and reports whether it has linked. If it has not, the
// toolchain's own linker is to link, or to say what is wrong. Why is what the placing linker said, "" if there is none.
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
	collectLate()
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
		return 0, link.Restore(l)
	}
	return 0, nil
}
