// Covdiff holds the block counts that goprofinstr derives from paths against those of go test -covermode=count.
//
//	go run ./integration/covdiff [flags] PACKAGE...
//	go run ./integration/covdiff -corpus CORPUS.json -dir DIR [-fixed-runtime OVERLAY.json] [-run REGEXP]
//
// Both run the tests of a package twice, plainly and wrapped, with GOMAXPROCS=1, and compare the two coverage profiles. These
// must be the same line for line where the tests do the same each time. The first form does so for packages of the module in -C
// DIR (default the current directory) or of the standard library. The second takes the packages from a list of modules that lie
// in DIR. Where the profiles differ, the plain tests are run again, compiled differently: blocks whose counts then differ, too,
// are called unstable. It exits with 1 if any other block differs.
//
// Flags of the first form:
//
//	-C DIR                  run in DIR
//	-skip REGEXP            skip tests, as go test -skip
//	-testflags FLAGS        more flags for go test, separated by spaces
//	-fixed-runtime FILE     overlay for both, with a runtime without random order
//	-gcoff                  GOGC=off for both
//	-show N                 how many differences to print of each package (default 10)
//	-goprofinstr FILE       the program to test; default is to build it
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goprofinstr/goprofinstr/integration/internal/tool"
)

func main() {
	different, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "covdiff: %v\n", err)
		os.Exit(2)
	}
	if different {
		os.Exit(1)
	}
}

func run(args []string) (different bool, err error) {
	var t tests
	fs := flag.NewFlagSet("covdiff", flag.ContinueOnError)
	fs.StringVar(&t.dir, "C", "", "run in `DIR`")
	fs.StringVar(&t.skip, "skip", "", "skip tests that match `REGEXP`")
	flags := fs.String("testflags", "", "more `FLAGS` for go test, separated by spaces")
	fs.StringVar(&t.overlay, "fixed-runtime", "", "overlay `FILE` for both")
	fs.BoolVar(&t.gcOff, "gcoff", false, "GOGC=off for both")
	show := fs.Int("show", 10, "print `N` differences of each package")
	exe := fs.String("goprofinstr", "", "the `FILE` to test; default is to build it")
	corpus := fs.String("corpus", "", "compare all packages of the corpus in `FILE`")
	corpusDir := fs.String("dir", "", "where the modules of the corpus lie")
	filter := fs.String("run", "", "only packages of the corpus that match `REGEXP`")
	if err := fs.Parse(args); err != nil {
		return false, err
	}
	t.flags, t.packages = strings.Fields(*flags), fs.Args()
	if t.overlay != "" {
		if t.overlay, err = filepath.Abs(t.overlay); err != nil {
			return false, err
		}
	}
	work, err := os.MkdirTemp("", "covdiff-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(work)
	r := &runner{tool: *exe, work: work}
	if r.tool == "" {
		if r.tool, err = tool.Build(work); err != nil {
			return false, err
		}
	}
	switch {
	case *corpus != "":
		return r.corpus(*corpus, *corpusDir, t.overlay, *filter, *show)
	case len(t.packages) == 0:
		return false, errors.New("no packages")
	}
	d, err := r.compare(t)
	if err != nil {
		return false, err
	}
	d.print(os.Stdout, strings.Join(t.packages, " "), *show)
	return d.different(), nil
}
