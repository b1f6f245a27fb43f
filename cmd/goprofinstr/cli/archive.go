package cli

import (
	"context"
	"flag"
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
	"github.com/goprofinstr/goprofinstr/export/fleet/archive"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

var archiveCommand = &command{
	name:  "archive",
	run:   runArchive,
	short: "keep the counts of many runs for long",
	synopsis: `goprofinstr archive add -o ARCHIVE [-service NAME] [-host NAME] [-keep NAMES] [DIR...]
goprofinstr archive ls [-service NAME] [-since TIME] [-until TIME] [-label NAME=VALUE,...] ARCHIVE
goprofinstr archive compact [-service NAME] [-since TIME] [-until TIME] ARCHIVE
goprofinstr archive prune -older AGE ARCHIVE`,
	about: `An archive has what runs have counted, some kilobytes each, and the tables of each build once. Report, view, check,
diff, export, merge and pgo read it as they read a profile directory, all of it or what -service, -since, -until and
-label choose. It has no sources, no calling contexts, and of sampled profiles no intervals. It is a folder or, as
s3://BUCKET/PREFIX, a place in a bucket. The variables AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN,
AWS_REGION and AWS_ENDPOINT_URL tell how to get at that.

Add puts there what the runs in profile directories (default goprofinstr.out) have counted until now, and makes the
archive if there is none. A run is known by its host, its pid and its start. Adding it again, when it has counted more or
by mistake, does not count it twice. The programs may be running. Ls lists services and builds. Compact makes one file
of each day's runs that have ended; it can be killed at any moment. Prune deletes the runs of days that are older than
AGE.`,
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
	"add":     {[]string{"o", "host", "service", "keep"}, archiveAdd},
	"ls":      {[]string{"service", "since", "until", "label"}, archiveList},
	"compact": {[]string{"service", "since", "until"}, archiveCompact},
	"prune":   {[]string{"older"}, archivePrune},
}

// archiveVerbNames are their names, in the order of help.
var archiveVerbNames = []string{"add", "ls", "compact", "prune"}

// archiveFlags are the flags of archive.
type archiveFlags struct {
	out, host, keep, older string
	chosen                 chosen
}

func (f *archiveFlags) table() flags.Table {
	return flags.Table{Column: 18, Flags: append([]flags.Flag{
		{Name: "o", Value: "ARCHIVE", Var: &f.out, Usage: "of add: the archive, which is made if there is none"},
		{Name: "host", Value: "NAME", Var: &f.host,
			Usage: "of add: the host that the runs are of (default: this one); runs of one host with one pid and start are one run"},
		{Name: "service", Value: "NAME", Var: &f.chosen.service,
			Usage: `of add: the service of runs that were told none by OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES; else the
			service that is meant`},
		{Name: "keep", Value: "NAMES", Var: &f.keep,
			Usage: `of add: labels in OTEL_RESOURCE_ATTRIBUTES by which runs of a day are kept apart (default service.version,
			deployment.environment and a few more)`},
		{Name: "older", Value: "AGE", Var: &f.older,
			Usage: "of prune: how old what is kept may be, as in 30d or 36h; path tables of the last 24h are kept in any case"},
	}, spanFlags(&f.chosen)...)}
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

func archiveAdd(ctx context.Context, f *archiveFlags, words []string) error {
	if f.out == "" {
		return usage.Errorf("no archive given; want -o ARCHIVE")
	}
	from, err := dirs(words)
	if err != nil {
		return err
	}
	of := archive.Directory{Host: f.host, Service: f.chosen.service, Labels: fields(f.keep)}
	return archives.Add(ctx, f.out, of, from, warnDamaged)
}

func archiveList(ctx context.Context, f *archiveFlags, words []string) error {
	name, err := onlyArchive(words)
	if err != nil {
		return err
	}
	of, err := f.chosen.selection()
	if err != nil {
		return err
	}
	return archives.List(ctx, os.Stdout, name, of, warnDamaged)
}

func archiveCompact(ctx context.Context, f *archiveFlags, words []string) error {
	name, err := onlyArchive(words)
	if err != nil {
		return err
	}
	of, err := f.chosen.selection()
	if err != nil {
		return err
	}
	return archives.Compact(ctx, os.Stdout, name, of, warnDamaged)
}

func archivePrune(ctx context.Context, f *archiveFlags, words []string) error {
	age, err := parseAge("older", f.older)
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

// parseAge parses the value of a flag that is a duration, or a number of days as in 30d.
func parseAge(flag, text string) (time.Duration, error) {
	if text == "" {
		return 0, usage.Errorf("no age given; want -%s 30d, for example", flag)
	}
	if age, ok := ageOf(text); ok {
		return age, nil
	}
	return 0, usage.Errorf("-%s %s: want an age such as 30d or 36h", flag, text)
}

// ageOf returns a duration, or a number of days.
func ageOf(text string) (time.Duration, bool) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 && n < 36500 {
			return time.Duration(n) * 24 * time.Hour, true
		}
	}
	age, err := time.ParseDuration(text)
	return age, err == nil && age >= 0
}
