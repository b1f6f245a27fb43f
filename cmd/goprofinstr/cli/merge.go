package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"

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
that is in two of the DIRs counts twice. Files that cannot be read are left out, with a warning, and so are symbolic links.

A DIR may be an archive. What its runs have counted, those of the newest build or those that are chosen, becomes one run.`,
	flags: func() flags.Table { return new(mergeFlags).table() },
	examples: `goprofinstr merge -o all shard1 shard2
goprofinstr merge -o served /var/lib/shop/profile       # adds the files for pprof to what a program has written
goprofinstr merge -o week -service shop -since 7d s3://profiles/prod`,
}

// mergeFlags are the flags of merge.
type mergeFlags struct {
	out    string
	chosen chosen
}

func (f *mergeFlags) table() flags.Table {
	return flags.Table{Column: 18, Flags: append([]flags.Flag{
		{Name: "o", Value: "OUT", Var: &f.out,
			Usage: `output directory; replaces profile data that is there, refuses a folder that is not
			empty and not goprofinstr's`},
	}, chosenFlags(&f.chosen)...)}
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
	if !slices.ContainsFunc(fs.Args(), archive.Is) {
		if err := f.chosen.refuse(fs.Arg(0)); err != nil {
			return 0, err
		}
	}
	tmp, err := os.MkdirTemp("", "goprofinstr")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(tmp)
	sources, err := f.sources(fs.Args(), tmp)
	if err != nil {
		return 0, err
	}
	out, err := profiledir.CheckDir(f.out)
	if err != nil {
		return 0, err
	}
	if err := outdir.Lock(out); err != nil {
		return 0, err
	}
	defer out.Unlock()
	return 0, out.Replace(func(d *profiledir.Dir) error { return mergeAll(d, f.out, fs.Args(), sources) })
}

// sources returns the profile directories that are merged: of an archive what is chosen becomes one, below folder tmp.
func (f *mergeFlags) sources(dirs []string, tmp string) (list []merge.Source, err error) {
	for i, dir := range dirs {
		if !archive.Is(dir) {
			list = append(list, merge.Source{Dir: dir})
			continue
		}
		of := filepath.Join(tmp, strconv.Itoa(i))
		if err := f.chosen.write(dir, of); err != nil {
			return nil, err
		}
		list = append(list, merge.Source{Dir: of, Title: dir})
	}
	return list, nil
}

// mergeAll writes all that a profile directory has, which is going to be called output.
func mergeAll(d *profiledir.Dir, output string, dirs []string, sources []merge.Source) error {
	damaged, err := merge.Sources(d, sources)
	if err != nil {
		return err
	}
	if err := coverprofile.MergePlans(d.Path, slices.DeleteFunc(slices.Clone(dirs), archive.Is)); err != nil {
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
