package cli

import (
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/instrument"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/internal/show"
	"github.com/goprofinstr/goprofinstr/rewrite/link"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// What the user of wrap is told besides the summary.

// printBuilt says what was instrumented in programs that have yet to run, and what was not if the user wants to know.
func printBuilt(t *instrument.Target, verbose bool) error {
	fmt.Fprintf(os.Stderr, "goprofinstr: %s instrumented, %d declined; "+
		"set %s to the directory for the data when you run what was built, and give it to goprofinstr report\n",
		show.Plural(t.Instrumented, "function"), t.Declined, profiledir.Var)
	if !verbose {
		return nil
	}
	if t.Unplaced != nil {
		fmt.Fprintf(os.Stderr, "goprofinstr: code does not lie where it does in the plain program: %v\n", t.Unplaced)
	}
	for _, data := range t.Tables {
		pkg, err := table.Decode(data)
		if err != nil {
			return err
		}
		for i := range pkg.Functions {
			printDeclined(&pkg.Functions[i])
		}
	}
	return nil
}

// printDeclined prints the reason if a function was declined.
func printDeclined(f *table.Function) {
	if f.Declined != "" {
		what := fmt.Sprintf("%s (%s:%d): %s", f.Name, f.File, f.Line, f.Declined)
		fmt.Fprintf(os.Stderr, "goprofinstr: declined %s\n", show.Printable(what))
	}
}

// printUncounted says which functions copies do not count in what was linked, and where code lies elsewhere, if the user wants
// to know. Those that a program has no code of are most, and nobody can do anything about them. Reports list them, if no run
// has code of them.
func (w *wrap) printUncounted() error {
	if !w.options.v || !w.options.choice.Counting.Labels() {
		return nil
	}
	reports, err := link.Reports(instrument.Records(w.Folder()))
	if err != nil {
		return err
	}
	said, without, elsewhere := make(map[string]bool), make(map[string]bool), make(map[string]bool)
	for _, r := range reports {
		if r.Unplaced != "" {
			elsewhere["the linker that places it failed: "+r.Unplaced] = true
		}
		for name, why := range r.Not {
			if why == link.NoCode {
				without[name] = true
				continue
			}
			said[name+": "+why] = true
		}
	}
	for _, why := range slices.Sorted(maps.Keys(elsewhere)) {
		fmt.Fprintf(os.Stderr, "goprofinstr: code does not lie where it does in the plain program: %s\n", show.Printable(why))
	}
	for _, what := range slices.Sorted(maps.Keys(said)) {
		fmt.Fprintf(os.Stderr, "goprofinstr: not counted: %s\n", show.Printable(what))
	}
	if n := len(without); n > 0 {
		fmt.Fprintf(os.Stderr, "goprofinstr: not counted: %s without code in some program that was linked\n", show.Plural(n, "function"))
	}
	return nil
}

// printInlining says where the compiler may inline less than in the packages themselves, as far as the user asks
// for it.
func (w *wrap) printInlining(t *instrument.Target) error {
	if w.options.v {
		for _, path := range slices.Sorted(maps.Keys(t.Inlining.Left)) {
			fmt.Fprintf(os.Stderr, "goprofinstr: inlining is not preserved in %s: %s\n", path, t.Inlining.Left[path])
		}
		for _, file := range t.Inlining.Narrowed {
			fmt.Fprintf(os.Stderr, "goprofinstr: of the instrumented packages only that of %s is compiled with it, "+
				"because several are built\n", file)
		}
		if n := t.Inlining.Outside; n > 0 {
			fmt.Fprintf(os.Stderr, "goprofinstr: inlining of instrumented functions is not preserved in %s outside of "+
				"the main module\n", show.Plural(n, "package"))
		}
	}
	if !w.options.lostInlining {
		return nil
	}
	lost, total, err := t.Inlining.Lost(t.Overlay)
	if err != nil {
		return err
	}
	n := 0
	for _, c := range lost {
		n += c.Times
	}
	fmt.Fprintf(os.Stderr, "goprofinstr: %d of %s lost\n", n, show.Plural(total, "inlining"))
	for _, c := range lost {
		fmt.Fprintf(os.Stderr, "  %s: call of %s in %s", c, c.Callee, c.Package)
		if c.Times > 1 {
			fmt.Fprintf(os.Stderr, ", %d times", c.Times)
		}
		fmt.Fprintln(os.Stderr)
	}
	return nil
}
