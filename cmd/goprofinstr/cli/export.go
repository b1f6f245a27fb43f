package cli

import (
	"bufio"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/covexport"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/guess"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/coverage"
	"github.com/goprofinstr/goprofinstr/export/coverprofile"
	"github.com/goprofinstr/goprofinstr/export/parquet"
	"github.com/goprofinstr/goprofinstr/export/pgo"
	"github.com/goprofinstr/goprofinstr/export/pprof"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

var exportCommand = &command{
	name:  "export",
	run:   runExport,
	short: "convert a profile for other programs",
	synopsis: `goprofinstr export -format pprof|json|folded|pgo|parquet|markers|markers-text [-o FILE] [DIR]
goprofinstr export -format coverprofile|lcov|cobertura|sonar|codecov [-o FILE] [DIR]
goprofinstr export -format covdata [-covermode MODE] -o OUT [DIR]`,
	about: `Export writes the profile in DIR (default goprofinstr.out) in another format, to standard output or to FILE.`,
	flags: func() flags.Table { return new(exportFlags).table() },
	examples: `goprofinstr export -format coverprofile -o cover.out && go tool cover -html cover.out
goprofinstr export -format lcov -o lcov.info && genhtml --branch-coverage -o html lcov.info
goprofinstr export -format covdata -o cov && go tool covdata percent -i cov
goprofinstr export -format pgo -o default.pgo           # for go build -pgo
goprofinstr export -format folded | flamegraph.pl >flame.svg
goprofinstr export -format json | jq '.functions[].name'
goprofinstr export -format parquet -kind functions -o f.parquet /var/lib/profiles && duckdb -c "FROM 'f.parquet'"`,
}

// exportFlags are the flags of export.
type exportFlags struct {
	src, format, out, kind, coverMode string

	chosen chosen
}

func (f *exportFlags) table() flags.Table {
	return flags.Table{Column: 18, Flags: append([]flags.Flag{
		{Name: "format", Var: &f.format, Choices: []flags.Choice{
			{Value: "pprof", Usage: "the path profile as a pprof file (as DIR/paths.pb.gz after wrap go test)"},
			{Value: "json", Usage: "functions with their graphs and executed paths, schema version 1"},
			{Value: "coverprofile",
				Usage: `the coverage of tests or of a program for go tool cover, in mode count, as go test -coverprofile or go tool covdata textfmt
				writes it; it takes no sources`},
			{Value: "lcov",
				Usage: `lines, functions and the branches of conditions as a tracefile of lcov, for genhtml, Coveralls and
				editors; after wrap -per-test with what each test has covered. It and the next three need the sources as
				they were, and name files relative to the root of the repository`},
			{Value: "cobertura", Usage: "the same as XML of Cobertura, for GitLab, Jenkins and Azure DevOps"},
			{Value: "sonar", Usage: "lines and branches for SonarQube: sonar.coverageReportPaths"},
			{Value: "codecov", Usage: "lines and branches as JSON for Codecov"},
			{Value: "covdata",
				Usage: `a directory of coverage data, as a program of go build -cover leaves it in GOCOVERDIR: go tool
				covdata reads it, and merges it with such data`},
			{Value: "folded", Usage: `one line a path, "function;{path} count", for flame graphs`},
			{Value: "pgo",
				Usage: `a profile for go build -pgo: the calls in instrumented functions with how often they were executed, the most frequent ones,
				which make up 99.99% of all, with the targets that wrap -kinds calls has found; as default.pgo in the folder of a main package go build finds it by itself`},
			{Value: "parquet",
				Usage: `a table for SQL, of one -kind: functions, paths (as is), edges, calls, trips or values. A row has the counts of one run or,
				of an archive, of the runs of a day, build and set of labels; docs/guide/sql.md tells of the columns`},
			{Value: "markers",
				Usage: `where the loops of each function are in the programs, whose compiler has inlined, copied and turned
				them around: for each copy of a loop the function that it is in, the calls by which it was inlined there, the
				addresses of its markers, and how often it went round; JSON. Needs programs with native probes`},
			{Value: "markers-text", Usage: "the same as text, without loops that no program has"},
		}},
		{Name: "kind", Value: "KIND", Var: &f.kind,
			Usage: "with -format pprof: edges (as DIR/edges.pb.gz); functions, the calls of each function, in sampled mode by " +
				"calling context and with CPU time (as DIR/calls.pb.gz); cpu, the CPU time of a sampled profile as a CPU profile " +
				"has it; or what wrap -kinds has counted besides: calls, the targets of calls; trips, rounds of loops; values. " +
				"With -format parquet: functions, paths, edges, calls, trips or values",
			Values: eventKinds,
			Only: &flags.Only{Flag: "format", Values: []string{"pprof", "parquet"},
				Why: map[string]string{"": "the other formats have all kinds that they can"}}},
		{Name: "covermode", Value: "MODE", Var: &f.coverMode, Default: "count", Values: coverprofile.Modes,
			Usage: `with -format covdata: set, count (the default) or atomic; go tool covdata textfmt takes data of one
			mode only, and go build -cover has set`,
			Only: &flags.Only{Flag: "format", Values: []string{"covdata"}}},
		outputFile(&f.out),
		sourceFolder(&f.src),
	}, chosenFlags(&f.chosen)...)}
}

// withoutSources are formats in which nothing is of the sources.
var withoutSources = []string{"folded", "json", "markers", "markers-text", "parquet", "pgo"}

func runExport(c *command, args []string) (int, error) {
	var f exportFlags
	t := f.table()
	fs, done, err := c.parse(t, args)
	if done || err != nil {
		return 0, err
	}
	c.src = f.src
	if err := refuseFlags(t, fs, ""); err != nil {
		return 0, err
	}
	if f.src != "" && slices.Contains(withoutSources, f.format) {
		return 0, usage.Errorf("-src %s: -format %s takes no sources; leave it out", f.src, f.format)
	}
	if f.format == "parquet" {
		return 0, c.exportParquet(&f, fs)
	}
	pprof, err := pprofWriter(f.kind)
	if err != nil {
		return 0, err
	}
	if f.format == "covdata" {
		if err := covexport.CheckCovdata(f.out, f.coverMode); err != nil {
			return 0, err
		}
		dir, p, err := c.loadOne(fs)
		if err != nil {
			return 0, err
		}
		return 0, covexport.Covdata(f.out, f.coverMode, dir, p)
	}
	return 0, c.convert(f.format, f.out, fs, map[string]writer{
		"covdata":      nil, // a directory, above
		"lcov":         covexport.Writer((*coverage.Report).WriteLcov),
		"cobertura":    covexport.Writer((*coverage.Report).WriteCobertura),
		"sonar":        covexport.Writer((*coverage.Report).WriteSonar),
		"codecov":      covexport.Writer((*coverage.Report).WriteCodecov),
		"pprof":        pprof,
		"json":         plain(export.WriteJSON),
		"folded":       plain(export.WriteFolded),
		"markers":      plain(export.WriteMarkers),
		"pgo":          plain(pgo.Write),
		"markers-text": plain(export.WriteMarkersText),
		"coverprofile": writeCoverprofile,
		"parquet":      nil, // see above
	})
}

// exportParquet writes a table of the runs of a profile directory or an archive, which are read one after another.
func (c *command) exportParquet(f *exportFlags, fs *flag.FlagSet) error {
	kind := cmp.Or(f.kind, string(parquet.Paths))
	if !parquet.Known(kind) {
		return usage.Errorf("unknown -kind %q%s; want one of %s", kind, guess.Hint(kind, "", parquetKinds()),
			strings.Join(parquetKinds(), ", "))
	}
	dir, err := c.dir(fs)
	if err != nil {
		return err
	}
	if err := f.chosen.check(dir); err != nil {
		return err
	}
	write := func(out io.Writer) error {
		w, err := parquet.NewWriter(out, parquet.Kind(kind))
		if err != nil {
			return err
		}
		if err := f.chosen.each(dir, w.Write); err != nil {
			return err
		}
		return w.Close()
	}
	if f.out == "" {
		out := bufio.NewWriter(os.Stdout)
		if err := write(out); err != nil {
			return err
		}
		return out.Flush()
	}
	return export.Replace(f.out, write)
}

func parquetKinds() (names []string) {
	for _, kind := range parquet.Kinds {
		names = append(names, string(kind))
	}
	return names
}

// eventKinds are the kinds of profiles for pprof.
var eventKinds = []string{"paths", "edges", "functions", "cpu", "calls", "trips", "values"}

// pprofWriter returns what writes a profile of some kind for pprof.
func pprofWriter(kind string) (writer, error) {
	switch kind {
	case "", "paths":
		return plain(pprof.WritePaths), nil
	case "edges":
		return plain(pprof.WriteEdges), nil
	case "functions":
		return plain(pprof.WriteCalls), nil
	case "cpu":
		return plain(pprof.WriteCPU), nil
	case "calls", "trips", "values":
		return func(w io.Writer, dir string, p *profile.Profile) error { return writeEvents(w, dir, p, kind) }, nil
	}
	return nil, usage.Errorf("unknown -kind %q%s; want one of %s",
		kind, guess.Hint(kind, "", eventKinds), strings.Join(eventKinds, ", "))
}

// writeEvents writes what was counted besides paths. If it is nothing, the user may have wanted something else.
func writeEvents(w io.Writer, dir string, p *profile.Profile, kind string) error {
	counted := func(e profile.FunctionEvents) bool { return e.Name() == kind }
	if slices.ContainsFunc(p.Events(), counted) {
		return pprof.WriteEvents(w, p, kind)
	}
	err := fmt.Errorf("%s has no %s: wrap -kinds %s counts them", dir, kind, kind)
	if kind == "calls" {
		err = fmt.Errorf("%w; how often functions are called, and by which, is in %s, which is what -kind functions writes",
			err, profiledir.CallsPprof)
	}
	return err
}

// deriveCoverage returns the coverage of tests, or of a program of wrap go build.
func deriveCoverage(dir string, p *profile.Profile) (*coverprofile.Profile, error) {
	plan, err := covexport.ReadPlan(dir, p)
	if err == nil {
		return coverprofile.Derive(dir, p, plan, plan.Tool())
	}
	if p.Built && errors.Is(err, coverprofile.ErrNoPlan) {
		return coverprofile.DeriveProgram(p, coverprofile.Tool{Go: "go"})
	}
	return nil, err
}

// writeCoverprofile writes the coverage profile of profile directory dir. The tool is that of the release
// which built the tests.
func writeCoverprofile(w io.Writer, dir string, p *profile.Profile) error {
	mode := "count"
	if p.Certainty() < profile.HowOften {
		if why := p.Unsettled(); why != "" {
			return fmt.Errorf("a coverage profile takes exact counts, and this profile has been sampled: wrap -mode exact (%s)", why)
		}
		mode = "set" // how often is not known, and whether is of most
	}
	c, err := deriveCoverage(dir, p)
	if err != nil {
		return err
	}
	if err := c.WriteMissing(os.Stderr); err != nil {
		return err
	}
	return c.Write(w, mode)
}
