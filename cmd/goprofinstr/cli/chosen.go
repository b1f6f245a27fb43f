package cli

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/archives"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/groups"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/export/fleet/archive"
	"github.com/goprofinstr/goprofinstr/export/fleet/labels"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// chosen is which runs of an archive a profile is of.
type chosen struct{ build, service, since, until, labels string }

// chosenFlags are the flags of commands that read one profile, which may be an archive.
func chosenFlags(c *chosen) []flags.Flag {
	return append([]flags.Flag{
		{Name: "build", Value: "ID", Var: &c.build,
			Usage: "of an archive, the build whose ID begins so, as goprofinstr archive ls has it (default: the newest)"},
		serviceFlag(c),
	}, spanFlags(c)...)
}

func serviceFlag(c *chosen) flags.Flag {
	return flags.Flag{Name: "service", Value: "NAME", Var: &c.service, Usage: "of an archive, the runs of one service"}
}

// spanFlags are the flags for the time and the labels of runs of an archive.
func spanFlags(c *chosen) []flags.Flag {
	return []flags.Flag{
		{Name: "since", Value: "TIME", Var: &c.since,
			Usage: `of an archive, runs that started on the day of TIME, in UTC, or later: an age as in 7d or 36h, or a time as in
			2026-01-31 or 2026-01-31T09:00:00Z`},
		{Name: "until", Value: "TIME", Var: &c.until, Usage: "of an archive, runs that started on the day of TIME or earlier"},
		{Name: "label", Value: "NAME=VALUE,...", Var: &c.labels,
			Usage: "of an archive, runs that have all of these labels, as they had them in OTEL_RESOURCE_ATTRIBUTES"},
	}
}

// chosenOf returns the values of these flags, nothing of those that a command has not.
func chosenOf(fs *flag.FlagSet) (c chosen) {
	for name, value := range map[string]*string{
		"build": &c.build, "service": &c.service, "since": &c.since, "until": &c.until, "label": &c.labels,
	} {
		if f := fs.Lookup(name); f != nil {
			*value = f.Value.String()
		}
	}
	return c
}

// given are the names of the flags that were given.
func (c chosen) given() (names []string) {
	for _, f := range [][2]string{{"-build", c.build}, {"-service", c.service}, {"-since", c.since}, {"-until", c.until}, {"-label", c.labels}} {
		if f[1] != "" {
			names = append(names, f[0])
		}
	}
	return names
}

// of returns what is chosen of one of several profiles: all of a profile directory.
func (c chosen) of(dir string) chosen {
	if archive.Is(dir) {
		return c
	}
	return chosen{}
}

// refuse refuses a choice where there is none.
func (c chosen) refuse(dir string) error {
	if names := c.given(); len(names) > 0 {
		return usage.Errorf("%s: for archives, and %s is a profile directory", strings.Join(names, ", "), dir)
	}
	return nil
}

// selection returns the runs that are meant, of all builds.
func (c chosen) selection() (s archive.Select, err error) {
	s.Service = c.service
	now := time.Now()
	if s.Since, err = parseTime("since", c.since, now); err != nil {
		return s, err
	}
	if s.Until, err = parseTime("until", c.until, now); err != nil {
		return s, err
	}
	if !s.Until.IsZero() && dayOf(s.Until).Before(dayOf(s.Since)) {
		return s, usage.Errorf("-until %s is before -since %s", c.until, c.since)
	}
	s.Labels, err = parseLabels(c.labels)
	return s, err
}

// dayOf returns the beginning of a time's day in UTC. Archives have runs by the day.
func dayOf(t time.Time) time.Time { return t.Truncate(24 * time.Hour) }

// parseTime parses the value of a flag that is a time, or how long ago that was; "" is the zero time.
func parseTime(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if age, ok := ageOf(text); ok {
		return now.Add(-age), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usage.Errorf("-%s %s: want an age such as 7d or 36h, or a time such as 2026-01-31 or 2026-01-31T09:00:00Z", flag, text)
}

// parseLabels parses the value of -label.
func parseLabels(text string) (labels.Set, error) {
	for _, item := range fields(text) {
		switch name, _, ok := strings.Cut(item, "="); {
		case !ok || name == "":
			return nil, usage.Errorf("-label %s: want NAME=VALUE, as in -label deployment.environment=prod", item)
		case name == labels.ServiceName:
			return nil, usage.Errorf("-label %s: want -service", item)
		case name == labels.HostName:
			return nil, usage.Errorf("-label %s: what the runs of all hosts have counted on a day is one number", item)
		}
	}
	return labels.Parse(text), nil
}

// none returns the error for an archive without runs that are meant.
func (c chosen) none(dir string) error {
	if given := c.given(); len(given) > 0 {
		return fmt.Errorf("%s: no runs are as %s says", dir, strings.Join(given, " and "))
	}
	return fmt.Errorf("%s: there are no counts in it", dir)
}

// each calls do for the runs of a profile directory, or for those of an archive that are meant, one group after the other, and
// warns of what cannot be read.
func (c chosen) each(dir string, do groups.Do) error {
	if !archive.Is(dir) {
		damaged, err := groups.Directory(dir, do)
		if err == nil {
			warnDamaged(dir, damaged)
		}
		return err
	}
	of, err := c.selection()
	if err != nil {
		return err
	}
	found, damaged, err := groups.Archive(context.Background(), dir, of, c.build, do)
	switch {
	case err != nil:
		return err
	case found == 0 && len(damaged) > 0:
		return fmt.Errorf("%s: nothing in it can be read: %s", dir, damaged[0])
	case found == 0:
		return c.none(dir)
	}
	warnDamaged(dir, damaged)
	return nil
}

// load reads a profile from an archive, and says what else is there.
func (c chosen) load(dir string) (*profile.Profile, error) {
	of, err := c.selection()
	if err != nil {
		return nil, err
	}
	p, left, err := archives.Load(context.Background(), dir, of, c.build)
	if err := c.say(dir, left, err); err != nil {
		return nil, err
	}
	warnDamage(os.Stderr, dir, p)
	return p, nil
}

// write writes what is chosen of an archive as a profile directory, and says what else is there.
func (c chosen) write(dir, to string) error {
	of, err := c.selection()
	if err != nil {
		return err
	}
	damaged, left, err := archives.WriteDirectory(context.Background(), dir, of, c.build, to)
	if err := c.say(dir, left, err); err != nil {
		return err
	}
	warnDamaged(dir, damaged)
	return nil
}

// say says what is left out of an archive, and returns the error of reading it.
func (c chosen) say(dir, left string, err error) error {
	if archives.IsEmpty(err) {
		return c.none(dir)
	}
	if left != "" {
		fmt.Fprintf(os.Stderr, "goprofinstr: %s\n", left)
	}
	return err
}
