package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/archives"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/sourcetables"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/fleet/archive"
	"github.com/goprofinstr/goprofinstr/export/pgo"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/profile/builds"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/internal/pgofile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

var pgoCommand = &command{
	name:     "pgo",
	run:      runPGO,
	short:    "make a profile for the compiler of many runs, also of older builds",
	synopsis: `goprofinstr pgo -o FILE [flags] [DIR...]`,
	about: `Pgo writes a profile for go build -pgo, such as default.pgo beside package main. It has each call with how often it was
executed, and the targets of calls that are not known before if they were counted. DIRs (default
goprofinstr.out) are profile directories or archives, which have no calling contexts; their order does not matter.

Calls in packages that were not instrumented have no counts. They are taken from the calling contexts of runs in
-mode sampled, as are targets, and have CPU time there. The units are made one: the lightest call that the compiler
takes for hot weighs the same in both. With -cpu a CPU profile takes the place of contexts.

The runs may be of several builds. The profile is for the newest one, whose first run started last. Functions of older
builds are found by name or by their graph, and calls in them by their order: those on lines that have moved count, too.

It says how much of the calls it has found by line, as the compiler would, and by matching. Lost are those that the newest
build does not have. The same text is in the profile (go tool pprof -comments FILE). FILE stays as it is where less than
1% of the weight is of edges that have become hot, or are hot no more: the compiler would do nothing else.`,
	flags: func() flags.Table { return new(pgoFlags).table() },
	examples: `goprofinstr pgo -o cmd/shop/default.pgo /var/lib/shop/* # with the runs of each version
goprofinstr pgo -o default.pgo -weight canary=0.1 -min-found 80 prod canary
goprofinstr pgo -o default.pgo -cpu cpu.pprof prod      # a CPU profile for code that was not instrumented`,
}

// pgoFlags are the flags of pgo.
type pgoFlags struct {
	out, weights, services, src, minFound, cpu string
	chosen                                     chosen
}

func (f *pgoFlags) table() flags.Table {
	return flags.Table{Column: 16, Flags: append([]flags.Flag{
		{Name: "o", Value: "FILE", Var: &f.out, Usage: "the profile"},
		{Name: "weight", Value: "SERVICE=W,...", Var: &f.weights,
			Usage: `multiply the counts of a service by W: the traffic of a canary is not its importance. Services are named
			by OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES, as they were when a program started`},
		{Name: "service", Value: "SERVICE,...", Var: &f.services, Usage: "only runs of these services"},
		{Name: "src", Value: "DIR", Var: &f.src,
			Usage: `the profile is for the packages in folder DIR as they are now, such as that of package main, or for the
			newest build in profile directory DIR`},
		{Name: "min-found", Value: "PERCENT", Var: &f.minFound, Usage: "write nothing, and exit with code 1, if less of the weight of calls was found"},
		{Name: "cpu", Value: "FILE", Var: &f.cpu,
			Usage: `a CPU profile, as net/http/pprof serves, for calls that no count tells of: those in packages that were not
			instrumented. Without it these are taken from the calling contexts of sampled runs`},
	}, spanFlags(&f.chosen)...)}
}

func runPGO(c *command, args []string) (int, error) {
	var f pgoFlags
	fs, done, err := c.parse(f.table(), args)
	if done || err != nil {
		return 0, err
	}
	if f.out == "" {
		return 0, usage.Errorf("no file given; want -o FILE, such as -o default.pgo beside package main")
	}
	least, err := percentage(f.minFound)
	if err != nil {
		return 0, err
	}
	o := pgo.Options{Services: fields(f.services)}
	if o.Weights, err = weights(f.weights); err != nil {
		return 0, err
	}
	of, err := dirs(fs.Args())
	if err != nil {
		return 0, err
	}
	before, err := readPGO(f.out)
	if err != nil {
		return 0, err
	}
	all, err := f.read(&o, of)
	if err != nil {
		return 0, err
	}
	r, err := pgo.Make(all, o)
	if err != nil {
		return 0, err
	}
	return 0, writePGO(f.out, r, before, least)
}

// read reads what the command line names: profile directories, of which it returns the counts, and what o takes.
func (f *pgoFlags) read(o *pgo.Options, dirs []string) (all []*builds.Counts, err error) {
	if all, err = readBuilds(dirs, f.chosen); err != nil {
		return nil, err
	}
	if f.src != "" {
		if o.Latest, err = readLatest(f.src, all); err != nil {
			return nil, err
		}
	}
	if f.cpu != "" {
		if o.CPU, err = readCPU(f.cpu); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// readLatest returns the build that a profile is for: what is in profile directory dir, or else the packages in folder
// dir as they are now, and those of other modules that some of the runs have counted.
func readLatest(dir string, all []*builds.Counts) ([]*builds.Counts, error) {
	current := profiledir.Current(dir)
	if m, err := profiledir.ReadManifest(current); m != nil || err != nil || len(profiledir.Glob(current)) > 0 {
		return readBuilds([]string{dir}, chosen{})
	}
	counted := make(map[string]bool)
	for _, c := range all {
		for path := range c.Tables {
			counted[path] = true
		}
	}
	tables, err := sourcetables.Of(dir, counted)
	if err != nil {
		return nil, fmt.Errorf("-src %w", err)
	}
	latest, err := builds.OfTables(tables)
	if err != nil {
		return nil, fmt.Errorf("-src %s: %w", dir, err)
	}
	return []*builds.Counts{latest}, nil
}

// readBuilds reads profile directories, and of archives what is chosen, and warns of what in them cannot be read.
func readBuilds(dirs []string, c chosen) (all []*builds.Counts, err error) {
	if !slices.ContainsFunc(dirs, archive.Is) {
		if err := c.refuse(dirs[0]); err != nil {
			return nil, err
		}
	}
	of, err := c.selection()
	if err != nil {
		return nil, err
	}
	var damaged []profile.Damage
	for _, dir := range dirs {
		if !archive.Is(dir) {
			continue
		}
		counts, left, err := archives.Counts(context.Background(), dir, of)
		if err != nil {
			return nil, err
		}
		all, damaged = append(all, counts...), append(damaged, left...)
	}
	if directories := slices.DeleteFunc(slices.Clone(dirs), archive.Is); len(directories) > 0 {
		counts, left, err := builds.Read(directories)
		if err != nil {
			return nil, err
		}
		all, damaged = append(all, counts...), append(damaged, left...)
	}
	title := dirs[0]
	if more := len(dirs) - 1; more > 0 {
		title += fmt.Sprintf(" and %d more", more)
	}
	warnDamage(os.Stderr, title, &profile.Profile{Damaged: damaged})
	return all, nil
}

// readPGO reads the profile that is going to be replaced. There may be none.
func readPGO(name string) ([]pgofile.Edge, error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil, nil // as with /dev/stdout, which has no profile to be kept
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	edges, err := pgofile.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("-o %s is there and no profile that could be replaced (%v); remove it, or name another file", name, err)
	}
	return edges, nil
}

func readCPU(name string) ([]pgofile.Edge, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	edges, err := pgofile.Decode(data)
	switch {
	case err != nil:
		return nil, fmt.Errorf("-cpu %s: not a CPU profile (%v); want one as runtime/pprof writes it", name, err)
	case len(edges) == 0:
		return nil, fmt.Errorf("-cpu %s: no calls in it; want a CPU profile of more time", name)
	}
	return edges, nil
}

// leastMoved is which share of the weight has to be of other hot edges for a profile to be written anew. Two halves of
// the runs of one program differ by less than a tenth of that; see docs/design/pgo.md.
const leastMoved = 0.01

// writePGO writes a profile, unless it is not worth while, and says so.
func writePGO(name string, r *pgo.Result, before []pgofile.Edge, least float64) error {
	text := r.Text()
	fmt.Fprintf(os.Stderr, "goprofinstr: %s\n", strings.Join(text, "\n\t"))
	if 100*r.Found() < least {
		return fmt.Errorf("%.1f%% of the weight of calls was found, and -min-found is %v%%: nothing is written; "+
			"the runs are of builds that are too old", 100*r.Found(), least)
	}
	if moved := pgo.Moved(before, r.Edges); len(before) > 0 && moved < leastMoved {
		fmt.Fprintf(os.Stderr, "goprofinstr: %s stays as it is: %.2f%% of the weight is of other hot edges, less than %.0f%%\n",
			show.Printable(name), 100*moved, 100*leastMoved)
		return nil
	}
	data, err := pgofile.Encode(r.Edges, append([]string{"goprofinstr pgo"}, text...)...)
	if err != nil {
		return err
	}
	return export.Replace(name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// percentage parses the value of -min-found.
func percentage(value string) (float64, error) {
	if value == "" {
		return 0, nil
	}
	percent, err := strconv.ParseFloat(strings.TrimSuffix(value, "%"), 64)
	if err != nil || !(percent >= 0 && percent <= 100) {
		return 0, usage.Errorf("-min-found %s: want a percentage, as in -min-found 80", value)
	}
	if percent > 0 && percent < 1 && !strings.HasSuffix(value, "%") {
		return 0, usage.Errorf("-min-found %s: 80%% is written 80, and %s%% is written %s%%", value, value, value)
	}
	return percent, nil
}

// weights parses the value of -weight.
func weights(value string) (map[string]float64, error) {
	all := make(map[string]float64)
	for _, item := range fields(value) {
		at := strings.LastIndexByte(item, '=')
		if at < 0 {
			return nil, usage.Errorf("-weight %s: want SERVICE=WEIGHT, as in -weight canary=0.1", item)
		}
		weight, err := strconv.ParseFloat(item[at+1:], 64)
		if err != nil || !(weight >= 0) || math.IsInf(weight, 0) {
			return nil, usage.Errorf("-weight %s: want a number that is not negative, as in -weight canary=0.1", item)
		}
		if _, twice := all[item[:at]]; twice {
			return nil, usage.Errorf("-weight has %s twice", item[:at])
		}
		all[item[:at]] = weight
	}
	return all, nil
}
