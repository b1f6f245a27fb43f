// Package archives does what goprofinstr archive does, and reads profiles from archives for other commands.
package archives

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/archive"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/profile/builds"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/internal/show"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// A Warner tells what of an archive or a directory cannot be read, if there is something.
type Warner func(name string, damaged []profile.Damage)

// Add puts the runs of profile directories into an archive, which it makes if there is none. Of says what is true of all of them;
// host "" is this one. A directory that has no runs, is gone or is no profile is an error, and the others are put there all the
// same.
func Add(ctx context.Context, name string, of archive.Directory, dirs []string, warn Warner) error {
	if of.Host == "" {
		var err error
		if of.Host, err = os.Hostname(); err != nil {
			return fmt.Errorf("the name of this host is not known (%w); give one with -host", err)
		}
	}
	a, err := archive.Create(ctx, name)
	if err != nil {
		return err
	}
	var bad []error
	for _, dir := range dirs {
		of.Path = dir
		_, damaged, err := a.AddDirectory(ctx, of)
		switch {
		case errors.Is(err, archive.ErrDirectory), errors.Is(err, archive.ErrRun): // its program may just be starting
			bad = append(bad, err)
		case err != nil:
			return errors.Join(append(bad, err)...)
		default:
			warn(dir, damaged)
		}
	}
	return errors.Join(bad...)
}

// List writes the builds of the runs of an archive that are meant as a table.
func List(ctx context.Context, w io.Writer, name string, of archive.Select, warn Warner) error {
	a, err := archive.Open(ctx, name)
	if err != nil {
		return err
	}
	builds, damaged, err := a.Merge(ctx, of)
	if err != nil {
		return err
	}
	warn(name, damaged)
	t := show.Table{Left: 2}
	t.Row("service", "build", "runs", "hosts", "first", "last")
	for _, b := range builds {
		if b.Processes() == 0 { // tables of packages that no process had
			continue
		}
		t.Row(show.Printable(cmp.Or(b.Service, "(none)")), b.ID, strconv.Itoa(b.Processes()), strconv.Itoa(b.Hosts()),
			b.Oldest().UTC().Format(time.DateTime), b.Newest().UTC().Format(time.DateTime))
	}
	return t.Write(w)
}

// Compact compacts the days of an archive that are meant, and writes a line about it.
func Compact(ctx context.Context, w io.Writer, name string, of archive.Select, warn Warner) error {
	a, err := archive.Open(ctx, name)
	if err != nil {
		return err
	}
	done, err := a.Compact(ctx, of)
	if err != nil {
		return err
	}
	warn(name, done.Damaged)
	verb := "have"
	if done.Left == 1 {
		verb = "has"
	}
	_, err = fmt.Fprintf(w, "%s in the files of %s, %s %s not ended, %s deleted\n", show.Plural(done.Runs, "more run"), show.Plural(done.Days, "day"),
		show.Plural(done.Left, "run"), verb, show.Plural(done.Deleted, "file"))
	return err
}

// Prune deletes what is older than an age, and writes a line about it.
func Prune(ctx context.Context, w io.Writer, name string, age time.Duration, warn Warner) error {
	a, err := archive.Open(ctx, name)
	if err != nil {
		return err
	}
	done, err := a.Prune(ctx, time.Now().Add(-age))
	if err != nil {
		return err
	}
	warn(name, done.Damaged)
	_, err = fmt.Fprintf(w, "%s of counts and %s deleted, %s bytes\n",
		show.Plural(done.Objects, "file"), show.Plural(done.Tables, "table"), show.Grouped(done.Bytes))
	return err
}

// errEmpty is wrapped by the error of Load if there are no counts of the runs that are meant.
var errEmpty = errors.New("there are no counts in it")

// IsEmpty reports whether Load has returned an error since there are no counts of the runs that are meant.
func IsEmpty(err error) bool { return errors.Is(err, errEmpty) }

// Load reads a profile of the runs of an archive that are meant, which are of one service: of the newest build or of the one
// whose ID begins with build. Left says what else is there, "" if it is nothing.
func Load(ctx context.Context, name string, of archive.Select, build string) (p *profile.Profile, left string, err error) {
	chosen, left, damaged, err := choose(ctx, name, of, build)
	if err != nil {
		return nil, "", err
	}
	if p, err = chosen.Profile(new(profile.Tables)); err != nil {
		return nil, "", fmt.Errorf("%s: %w", name, err)
	}
	p.Damaged = append(damaged, p.Damaged...)
	return p, left, nil
}

// choose returns the build that Load reads.
func choose(ctx context.Context, name string, of archive.Select, build string) (
	chosen *archive.Build, left string, damaged []profile.Damage, err error,
) {
	a, err := archive.Open(ctx, name)
	if err != nil {
		return nil, "", nil, err
	}
	builds, damaged, err := a.Merge(ctx, of)
	switch {
	case err != nil:
		return nil, "", nil, err
	case len(builds) == 0 && len(damaged) > 0:
		return nil, "", nil, fmt.Errorf("%s: nothing in it can be read: %s", name, damaged[0])
	case len(builds) == 0:
		return nil, "", nil, fmt.Errorf("%s: %w", name, errEmpty)
	}
	chosen, others, err := archive.Choose(builds, build)
	if err != nil {
		return nil, "", nil, fmt.Errorf("%s: %w", name, err)
	}
	return chosen, leftOut(chosen, others), damaged, nil
}

// WriteDirectory writes what Load reads as a profile directory, in which it is one run. What cannot be read is returned.
func WriteDirectory(ctx context.Context, name string, of archive.Select, build, dir string) (
	damaged []profile.Damage, left string, err error,
) {
	chosen, left, damaged, err := choose(ctx, name, of, build)
	if err != nil {
		return nil, "", err
	}
	run := chosen.Tally.Run()
	run.Start, run.Service = chosen.Oldest(), chosen.Service
	data, _ := rundata.Encode(run)
	d := profiledir.Dir{Path: dir}
	if err := d.WriteBuild(profiledir.Manifest{Root: chosen.Root}, nil); err != nil {
		return nil, "", err
	}
	return damaged, left, d.WriteRun(profiledir.RunFile(0, run.Start.UnixNano(), 0), bytes.NewReader(data))
}

// leftOut says what is not in a profile.
func leftOut(chosen *archive.Build, others []archive.Build) string {
	others = slices.DeleteFunc(others, func(b archive.Build) bool { return b.Processes() == 0 })
	if len(others) == 0 {
		return ""
	}
	runs := 0
	for i := range others {
		runs += others[i].Processes()
	}
	return fmt.Sprintf("this is build %s; left out are %s of %s: see goprofinstr archive ls, and -build",
		chosen.ID, show.Plural(runs, "run"), show.Plural(len(others), "other build"))
}

// Counts returns what an archive has of each service and build of the runs that are meant, for all of them to be put together.
func Counts(ctx context.Context, name string, of archive.Select) (list []*builds.Counts, damaged []profile.Damage, err error) {
	a, err := archive.Open(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	all, damaged, err := a.Merge(ctx, of)
	if err != nil {
		return nil, nil, err
	}
	tables := new(profile.Tables)
	for i := range all {
		c, err := countsOf(&all[i], tables)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, c)
	}
	switch {
	case len(list) == 0 && len(damaged) > 0:
		return nil, nil, fmt.Errorf("%s: nothing in it can be read: %s", name, damaged[0])
	case len(list) == 0:
		return nil, nil, fmt.Errorf("%s: %w", name, errEmpty)
	}
	return list, damaged, nil
}

// countsOf returns one of the builds of an archive. Which attributes a run had is not known of a sum of runs; its host is.
func countsOf(b *archive.Build, tables *profile.Tables) (*builds.Counts, error) {
	p, err := b.Profile(tables)
	if err != nil {
		return nil, err
	}
	c := &builds.Counts{Service: b.Service, Runs: b.Processes(), Last: b.Newest(), Tables: make(map[string]builds.Sum), Profile: p}
	for _, r := range b.Runs {
		if c.First.IsZero() || r.Start.Before(c.First) {
			c.First = r.Start
		}
		if r.Process && !slices.Contains(c.Hosts, r.Host) {
			c.Hosts = append(c.Hosts, r.Host)
		}
	}
	slices.Sort(c.Hosts)
	for i := range b.Tally.Packages {
		pkg := &b.Tally.Packages[i]
		c.Tables[pkg.Path] = sha256.Sum256(pkg.Table)
	}
	return c, nil
}
