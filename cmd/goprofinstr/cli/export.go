package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/coverprofile"
	"github.com/goprofinstr/goprofinstr/export/pprof"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

var exportCommand = &command{
	name:     "export",
	run:      runExport,
	short:    "convert a profile for other programs",
	synopsis: `goprofinstr export -format pprof|json|coverprofile|folded|pgo|markers|markers-text [-o FILE] DIR`,
	about:    `Export writes the profile in DIR in another format, to standard output or to FILE.`,
	flags:    func() flags.Table { return new(exportFlags).table() },
}

// exportFlags are the flags of export.
type exportFlags struct{ format, out, kind string }

func (f *exportFlags) table() flags.Table {
	return flags.Table{Column: 18, Flags: []flags.Flag{
		{Name: "format", Var: &f.format, Choices: []flags.Choice{
			{Value: "pprof", Usage: "the path profile as a pprof file (as DIR/paths.pb.gz after wrap go test)"},
			{Value: "json", Usage: "functions with their graphs and executed paths, schema version 1"},
			{Value: "coverprofile",
				Usage: `the coverage of tests for go tool cover, in mode count, as go test -coverprofile writes it;
				needs the sources as they were, and the Go release that built the tests`},
			{Value: "folded", Usage: `one line a path, "function;{path} count", for flame graphs`},
			{Value: "pgo",
				Usage: `a profile for go build -pgo: the calls in instrumented functions with how often they were executed, the most frequent ones,
				which make up 99.99% of all, with the targets that wrap -kinds calls has found; as default.pgo in the folder of a main package go build finds it by itself`},
			{Value: "markers",
				Usage: `where the loops of each function are in the programs, whose compiler has inlined, copied and turned
				them around: for each copy of a loop the function that it is in, the calls by which it was inlined there, the
				addresses of its markers, and how often it went round; JSON. Needs programs with native probes`},
			{Value: "markers-text", Usage: "the same as text, without loops that no program has"},
		}},
		{Name: "kind", Value: "KIND", Var: &f.kind,
			Usage: "with -format pprof: edges; cpu, the CPU time of a sampled profile as a CPU profile has it; or what wrap -kinds has counted besides: calls, the targets of calls; " +
				"trips, rounds of loops; values",
			Only: &flags.Only{Flag: "format", Values: []string{"pprof"},
				Why: map[string]string{"": "the other formats have all kinds that they can"}}},
		outputFile(&f.out),
	}}
}

func runExport(c *command, args []string) (int, error) {
	var f exportFlags
	t := f.table()
	fs, done, err := c.parse(t, args)
	if done || err != nil {
		return 0, err
	}
	if err := refuseFlags(t, fs, ""); err != nil {
		return 0, err
	}
	pprof, err := pprofWriter(f.kind)
	if err != nil {
		return 0, err
	}
	return 0, c.convert(f.format, f.out, fs.Args(), map[string]writer{
		"pprof":        pprof,
		"json":         export.WriteJSON,
		"folded":       export.WriteFolded,
		"markers":      export.WriteMarkers,
		"pgo":          export.WritePGO,
		"markers-text": export.WriteMarkersText,
		"coverprofile": func(w io.Writer, p *profile.Profile) error { return writeCoverprofile(w, fs.Arg(0), p) },
	})
}

// pprofWriter returns what writes a profile of some kind for pprof.
func pprofWriter(kind string) (writer, error) {
	switch kind {
	case "", "paths":
		return pprof.WritePaths, nil
	case "edges":
		return pprof.WriteEdges, nil
	case "cpu":
		return pprof.WriteCPU, nil
	case "calls", "trips", "values":
		return func(w io.Writer, p *profile.Profile) error { return pprof.WriteEvents(w, p, kind) }, nil
	}
	return nil, usage.Errorf("unknown -kind %q; want one of paths, edges, cpu, calls, trips, values", kind)
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
	plan, err := coverprofile.ReadPlan(dir)
	if err != nil {
		return err
	}
	c, err := coverprofile.Derive(dir, p, plan, plan.Tool())
	if err != nil {
		return err
	}
	if err := c.WriteMissing(os.Stderr); err != nil {
		return err
	}
	return c.Write(w, mode)
}
