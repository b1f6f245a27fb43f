package cli

import (
	"fmt"
	"os"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/outdir"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/coverprofile"
	"github.com/goprofinstr/goprofinstr/export/fleet/archive"
	"github.com/goprofinstr/goprofinstr/export/profile/merge"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

var mergeCommand = &command{
	name:     "merge",
	run:      runMerge,
	short:    "add up profiles",
	synopsis: `goprofinstr merge -o OUT DIR...`,
	about: `Merge writes a profile directory with the runs of all DIRs, which are of one source: those of the shards of a CI job,
or of many processes. The order does not matter, and what has been merged can be merged again. A run
that is in two of the DIRs counts twice. Files that cannot be read are left out, with a warning.`,
	flags: func() flags.Table { return new(mergeFlags).table() },
	examples: `goprofinstr merge -o all shard1 shard2
goprofinstr merge -o served /var/lib/shop/profile       # adds the files for pprof to what a program has written`,
}

// mergeFlags are the flags of merge.
type mergeFlags struct{ out string }

func (f *mergeFlags) table() flags.Table {
	return flags.Table{Column: 10, Flags: []flags.Flag{
		{Name: "o", Value: "OUT", Var: &f.out,
			Usage: `output directory; replaces profile data that is there, refuses a folder that is not
			empty and not goprofinstr's`},
	}}
}

func runMerge(c *command, args []string) (int, error) {
	var f mergeFlags
	fs, done, err := c.parse(f.table(), args)
	if done || err != nil {
		return 0, err
	}
	switch {
	case f.out == "":
		return 0, usage.Errorf("no output directory given; want -o OUT")
	case fs.NArg() == 0:
		return 0, usage.Errorf("no profile directories given; see goprofinstr help merge")
	}
	for _, dir := range fs.Args() {
		if archive.Is(dir) {
			return 0, fmt.Errorf("%s is an archive, which has no run files to merge; report and export read it as it is", dir)
		}
	}
	out, err := profiledir.CheckDir(f.out)
	if err != nil {
		return 0, err
	}
	if err := outdir.Lock(out); err != nil {
		return 0, err
	}
	defer out.Unlock()
	return 0, out.Replace(func(d *profiledir.Dir) error { return mergeAll(d, f.out, fs.Args()) })
}

// mergeAll writes all that a profile directory has, which is going to be called output.
func mergeAll(d *profiledir.Dir, output string, dirs []string) error {
	damaged, err := merge.Directories(d, dirs)
	if err != nil {
		return err
	}
	if err := coverprofile.MergePlans(d.Path, dirs); err != nil {
		return err
	}
	p, err := merge.Load(d, dirs)
	if err != nil {
		return err
	}
	p.Damaged = append(damaged, p.Damaged...)
	warnDamage(os.Stderr, output, p)
	return export.WriteDir(d.Path, p)
}
