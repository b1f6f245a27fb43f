package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/export/fleet/archive"
	"github.com/goprofinstr/goprofinstr/export/fleet/snapshot"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

var snapshotCommand = &command{
	name:     "snapshot",
	run:      runSnapshot,
	short:    "keep what running programs have counted since the last snapshot",
	synopsis: `goprofinstr snapshot [-o OUT] [DIR]`,
	about: `Snapshot keeps in OUT what the programs that write to the profile directory DIR (default goprofinstr.out) have counted
since the last snapshot of DIR, or since they started. So one end-to-end test can be told apart from the next while a
service goes on. Without -o nothing is kept: the next snapshot begins here.

OUT is an archive, which report, view, check, diff, cover and export read. The programs are not touched: how much was in
snapshots is written to a file in DIR, and subtracted. A path is in the snapshot in which it ends. Of sampled programs a
part of the estimates is held back until it is sure. On Windows, DIR lacks what was counted in the last tenth of a second. On
systems other than Linux, macOS and Windows programs write down what they have counted when they exit.`,
	flags: func() flags.Table { return new(snapshotFlags).table() },
	examples: `goprofinstr snapshot /run/shop                          # what the service did while it started is of no interest
goprofinstr snapshot -o login /run/shop                 # what it did in the first end-to-end test, behind that
goprofinstr snapshot -o order /run/shop                 # and in the second
goprofinstr cover order                                 # what the second test has covered`,
}

// snapshotFlags are the flags of snapshot.
type snapshotFlags struct{ out string }

func (f *snapshotFlags) table() flags.Table {
	return flags.Table{Column: 10, Flags: []flags.Flag{
		{Name: "o", Value: "OUT", Var: &f.out, Usage: "the archive, a folder that is not there or empty"},
	}}
}

func runSnapshot(c *command, args []string) (int, error) {
	var f snapshotFlags
	fs, done, err := c.parse(f.table(), args)
	if done || err != nil {
		return 0, err
	}
	dir, err := c.dir(fs)
	if err != nil {
		return 0, err
	}
	if is, err := archive.Find(dir); err != nil {
		return 0, err
	} else if is {
		return 0, fmt.Errorf("%s is an archive, to which no program writes; want a profile directory", show.Printable(dir))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	taken, err := snapshot.Take(ctx, dir, f.out)
	if err != nil {
		return 0, err
	}
	for _, bad := range taken.Bad {
		fmt.Fprintf(os.Stderr, "goprofinstr: warning: %s\n", show.Printable(bad.Error()))
	}
	since := "since they started"
	if !taken.Since.IsZero() {
		since = "since " + taken.Since.Local().Format(time.DateTime)
	}
	runs := show.Plural(taken.Runs, "run")
	if f.out == "" {
		fmt.Fprintf(os.Stderr, "goprofinstr: the next snapshot begins here; %s had counted something %s\n", runs, since)
	} else {
		fmt.Fprintf(os.Stderr, "goprofinstr: %s: what %s counted %s\n", show.Printable(f.out), runs, since)
	}
	return 0, nil
}
