package cli

import (
	"fmt"
	"os"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gorun"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/instrument"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

var warmCommand = &command{
	name:     "warm",
	run:      runWarm,
	wraps:    true,
	short:    "compile what the first wrap would have to",
	synopsis: `goprofinstr warm [--] [go {test|build|run|install} [go flags] [packages]]`,
	about: `Warm compiles what the programs of a wrapped go command are linked with, besides the packages of the main module: the
standard library with hooks in package runtime, and packages of other modules. It runs nothing. Without a go command that is all of the
standard library, for which there need be no module. Where the go command's build cache is kept, as in an image for continuous integration, the first
wrap takes as long as later ones.`,
	flags: func() flags.Table { return flags.Table{} },
	examples: `goprofinstr warm                                        # the standard library
goprofinstr warm go test -race ./...                    # what wrap go test -race ./... needs`,
}

func runWarm(c *command, args []string) (exit int, err error) {
	fs, done, err := c.parse(c.flags(), args)
	if done || err != nil {
		return 0, err
	}
	words := fs.Args()
	if len(words) == 0 {
		words = []string{"go", "build", "std"}
	}
	cmd, err := gocmd.Parse(words)
	if err != nil {
		return 0, usage.Errorf("%v", err)
	}
	if cmd.Help {
		return gorun.ShowUsage(cmd)
	}
	r, err := gorun.New(cmd)
	if err != nil {
		return 0, err
	}
	if err := r.BeginBuild(); err != nil {
		return 0, err
	}
	defer r.End()
	w, err := instrument.PrepareWarm(cmd, r.Toolchain, r.Folder())
	if err != nil {
		return 0, r.Explain(err)
	}
	if w.Packages == 0 { // then go build would build the package in the current folder
		fmt.Fprintln(os.Stderr, "goprofinstr: the packages import no others, so there is nothing to compile ahead")
		return 0, nil
	}
	e, err := r.Execute(w.Args, w.Std)
	if err == nil && e.Exit == 0 {
		fmt.Fprintf(os.Stderr, "goprofinstr: %s and what they import are in the go command's build cache\n", show.Plural(w.Packages, "package"))
	}
	return e.Exit, err
}
