package cli

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/archives"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/guess"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

var archiveCommand = &command{
	name:  "archive",
	run:   runArchive,
	short: "keep the counts of many runs for long",
	synopsis: `goprofinstr archive add -o ARCHIVE [-service NAME] [-host NAME] DIR...
goprofinstr archive ls ARCHIVE
goprofinstr archive compact ARCHIVE
goprofinstr archive prune -older AGE ARCHIVE`,
	about: `An archive has what runs have counted, some kilobytes each, and the tables of each build once. Report, view, check,
diff, export and pgo read it as they read a profile directory. It has no sources, no calling contexts, and of sampled
profiles no intervals. It is a folder or, as s3://BUCKET/PREFIX, a place in a bucket. The variables AWS_ACCESS_KEY_ID,
AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION and AWS_ENDPOINT_URL tell how to get at that.

Add puts there what the runs in profile directories have counted until now, and makes the archive if there is none. A
run is known by its host, its pid and its start. Adding it again, when it has counted more or by mistake, does not count
it twice. The programs may be running. Ls lists services and builds. Compact makes one file of each day's runs that have
ended; it can be killed at any moment. Prune deletes the runs of days that are older than AGE.`,
	flags: func() flags.Table { return new(archiveFlags).table() },
	examples: `goprofinstr archive add -o /var/lib/profiles /run/goprofinstr/*  # from cron, each hour
goprofinstr archive compact /var/lib/profiles           # each night
goprofinstr archive prune -older 30d /var/lib/profiles
goprofinstr archive ls /var/lib/profiles
goprofinstr report -service shop /var/lib/profiles      # of the newest build of a service`,
}

// archiveVerbs are what can be done with an archive, and with which flags.
var archiveVerbs = map[string]struct {
	flags []string
	run   func(ctx context.Context, f *archiveFlags, words []string) error
}{
	"add":     {[]string{"o", "host", "service"}, archiveAdd},
	"ls":      {nil, archiveList},
	"compact": {nil, archiveCompact},
	"prune":   {[]string{"older"}, archivePrune},
}

// archiveVerbNames are their names, in the order of help.
var archiveVerbNames = []string{"add", "ls", "compact", "prune"}

// archiveFlags are the flags of archive.
type archiveFlags struct{ out, host, service, older string }

func (f *archiveFlags) table() flags.Table {
	return flags.Table{Column: 18, Flags: []flags.Flag{
		{Name: "o", Value: "ARCHIVE", Var: &f.out, Usage: "of add: the archive, which is made if there is none"},
		{Name: "host", Value: "NAME", Var: &f.host,
			Usage: "of add: the host that the runs are of (default: this one); runs of one host with one pid and start are one run"},
		{Name: "service", Value: "NAME", Var: &f.service,
			Usage: "of add: the service of runs that were not told theirs by OTEL_SERVICE_NAME"},
		{Name: "older", Value: "AGE", Var: &f.older, Usage: "of prune: how old what is kept may be, as in 30d or 36h"},
	}}
}

func runArchive(c *command, args []string) (int, error) {
	var f archiveFlags
	fs, done, err := c.parse(f.table(), args)
	if done || err != nil {
		return 0, err
	}
	known := strings.Join(archiveVerbNames, ", ")
	if fs.NArg() == 0 {
		return 0, usage.Errorf("want one of %s; see goprofinstr help archive", known)
	}
	verb, ok := archiveVerbs[fs.Arg(0)]
	if !ok {
		return 0, usage.Errorf("unknown word %q%s; want one of %s", fs.Arg(0), guess.Hint(fs.Arg(0), "", archiveVerbNames), known)
	}
	fs.Visit(func(given *flag.Flag) {
		if err == nil && !slices.Contains(verb.flags, given.Name) {
			err = usage.Errorf("-%s is not for archive %s", given.Name, fs.Arg(0))
		}
	})
	if err != nil {
		return 0, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return 0, verb.run(ctx, &f, fs.Args()[1:])
}

func archiveAdd(ctx context.Context, f *archiveFlags, dirs []string) error {
	switch {
	case f.out == "":
		return usage.Errorf("no archive given; want -o ARCHIVE")
	case len(dirs) == 0:
		return usage.Errorf("no profile directories given; see goprofinstr help archive")
	}
	return archives.Add(ctx, f.out, f.host, f.service, dirs, warnDamaged)
}

func archiveList(ctx context.Context, _ *archiveFlags, words []string) error {
	name, err := onlyArchive(words)
	if err != nil {
		return err
	}
	return archives.List(ctx, os.Stdout, name, warnDamaged)
}

func archiveCompact(ctx context.Context, _ *archiveFlags, words []string) error {
	name, err := onlyArchive(words)
	if err != nil {
		return err
	}
	return archives.Compact(ctx, os.Stdout, name, warnDamaged)
}

func archivePrune(ctx context.Context, f *archiveFlags, words []string) error {
	age, err := parseAge(f.older)
	if err != nil {
		return err
	}
	name, err := onlyArchive(words)
	if err != nil {
		return err
	}
	return archives.Prune(ctx, os.Stdout, name, age, warnDamaged)
}

// onlyArchive returns the one archive of the command line.
func onlyArchive(words []string) (string, error) {
	if len(words) != 1 {
		return "", usage.Errorf("want one archive, got %s", show.Plural(len(words), "argument"))
	}
	return words[0], nil
}

// warnDamaged prints a few lines about parts that are left out.
func warnDamaged(name string, damaged []profile.Damage) {
	warnDamage(os.Stderr, name, &profile.Profile{Damaged: damaged})
}

// parseAge parses a duration, or a number of days as in 30d.
func parseAge(text string) (time.Duration, error) {
	if text == "" {
		return 0, usage.Errorf("no age given; want -older 30d, for example")
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 && n < 36500 {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	}
	age, err := time.ParseDuration(text)
	if err != nil || age < 0 {
		return 0, usage.Errorf("-older %s: want an age such as 30d or 36h", text)
	}
	return age, nil
}

// chosen is which runs of an archive a profile is of.
type chosen struct{ service, build string }

// chosenFlags are the flags of commands that read one profile, which may be an archive.
func chosenFlags(c *chosen) []flags.Flag {
	return []flags.Flag{
		{Name: "build", Value: "ID", Var: &c.build,
			Usage: "of an archive, the build whose ID begins so, as goprofinstr archive ls has it (default: the newest)"},
		{Name: "service", Value: "NAME", Var: &c.service, Usage: "of an archive, the runs of one service"},
	}
}

// chosenOf returns the values of these flags, nothing for a command without them.
func chosenOf(fs *flag.FlagSet) (c chosen) {
	if fs.Lookup("build") != nil {
		c.build, c.service = fs.Lookup("build").Value.String(), fs.Lookup("service").Value.String()
	}
	return c
}

// refuse refuses a choice where there is none.
func (c chosen) refuse(dir string) error {
	if c != (chosen{}) {
		return usage.Errorf("-build and -service are for archives, and %s is a profile directory", dir)
	}
	return nil
}

// load reads a profile from an archive, and says what else is there.
func (c chosen) load(dir string) (*profile.Profile, error) {
	p, left, err := archives.Load(context.Background(), dir, c.service, c.build)
	if err != nil {
		return nil, err
	}
	warnDamage(os.Stderr, dir, p)
	if left != "" {
		fmt.Fprintf(os.Stderr, "goprofinstr: %s\n", left)
	}
	return p, nil
}
