package integration

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/packages"
)

const module = "github.com/goprofinstr/goprofinstr"

var update = flag.Bool("update", false, "write testdata/imports.txt anew")

// TestImports holds the import lattice. testdata/imports.txt has a line for each import of a package of ours,
// but for those of the standard library, and each package at least once. A new arrow is a new line, to be
// looked at before it is committed.
//
//	go test ./integration -run TestImports -update
//
// What tests import is of no account.
func TestImports(t *testing.T) {
	lines := imports(t)
	if !*update {
		want, err := os.ReadFile(filepath.Join("testdata", "imports.txt"))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Split(strings.TrimSpace(string(want)), "\n"), lines); diff != "" {
			t.Errorf("imports (-want +got); with -update they are written anew:\n%s", diff)
		}
	}
	for _, line := range lines {
		if from, to, ok := strings.Cut(line, ": "); ok && broken(from, to) != "" {
			t.Errorf("%s imports %s: %s", from, to, broken(from, to))
		}
	}
	if *update {
		if err := os.WriteFile(filepath.Join("testdata", "imports.txt"), []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// A rule forbids what is in some folders or modules, "" for everything, to import what is in others.
type rule struct {
	from folders
	to   folders
	why  string
}

// folders are what is below one of them, but for what is below some others.
type folders struct {
	below string
	but   []string
}

func (f folders) have(name string) bool {
	return within(name, f.below) && !slices.ContainsFunc(f.but, func(but string) bool { return within(name, but) })
}

// rules hold whatever is in the file. Data flows from ssacfg over rewrite and rt to export and cmd.
var rules = []rule{
	{folders{below: "rt"}, folders{but: []string{"rt", "sampler"}}, "it is linked into programs"},
	{folders{below: "sampler"}, folders{but: []string{"sampler"}}, "it is linked into programs"},
	{folders{below: "ssacfg"}, folders{but: []string{"ssacfg", "golang.org/x/tools"}},
		"graphs know nothing of programs"},
	{folders{below: "ssacfg/pathnum"}, folders{below: "golang.org"}, "numbering is of plain graphs"},
	{folders{but: []string{"ssacfg"}}, folders{below: "golang.org/x/tools/go/ssa"}, "go/ssa stays within ssacfg"},
	{folders{below: "rewrite"}, folders{below: "export"}, "it comes before"},
	{folders{below: "export"}, folders{below: "rewrite"}, "what is between them is files"},
	{folders{but: []string{"cmd"}}, folders{below: "cmd"}, "it is above"},
	{folders{but: []string{"export/fleet/otlp"}}, folders{below: "go.opentelemetry.io"}, "the format changes: one package knows it"},
	{folders{}, folders{below: "go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"}, "it links gRPC, 10 MB"},
	{folders{}, folders{below: "github.com/parquet-go"}, "it links 11 MB; internal/parquetfile writes what there is to write"},
	{folders{}, folders{below: "gonum.org/v1/gonum/stat"}, "it is a few lines, and links 20 packages"},
	{folders{but: []string{"integration"}}, folders{below: "integration"}, "tests are for tests"},
	{folders{but: []string{"examples"}}, folders{below: "examples"}, "examples are programs of their own"},
}

// broken returns why a package may not import another; "" if it may.
func broken(from, to string) string {
	for _, r := range rules {
		if r.from.have(from) && r.to.have(to) {
			return r.why
		}
	}
	return ""
}

// TestRules has imports that are forbidden, and some that are not.
func TestRules(t *testing.T) {
	for line, allowed := range map[string]bool{
		"rt: export":                                                                   false,
		"rt/sys: golang.org/x/sys/unix":                                                false,
		"rt/rundata: sampler/pcct":                                                     true,
		"sampler: rt":                                                                  false,
		"ssacfg: golang.org/x/tools/go/ssa":                                            true,
		"ssacfg/pathnum: golang.org/x/tools/go/ssa":                                    false,
		"rewrite: golang.org/x/tools/go/ssa/ssautil":                                   false,
		"rewrite/inline: internal/pgofile":                                             true,
		"rewrite: export/profile":                                                      false,
		"export/page: rewrite/patch":                                                   false,
		"export: cmd/goprofinstr/internal/gocmd":                                       false,
		"cmd/goprofinstr: cmd/goprofinstr/internal/gocmd":                              true,
		"internal/show: integration/eval/lab":                                          false,
		"export/fleet/otlp: go.opentelemetry.io/collector/pdata/pprofile":              true,
		"export/fleet/otlp: go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp": false,
		"export/fleet/spool: go.opentelemetry.io/collector/pdata/pcommon":              false,
	} {
		if from, to, _ := strings.Cut(line, ": "); (broken(from, to) == "") != allowed {
			t.Errorf("%s: allowed is %t: %q", line, !allowed, broken(from, to))
		}
	}
}

// within reports whether a package is one of a folder or module.
func within(name, folder string) bool {
	return folder == "" || name == folder || strings.HasPrefix(name, folder+"/")
}

// imports returns a line for each import, "from: to", and "from:" for a package without any, sorted.
func imports(t *testing.T) []string {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedImports, Dir: ".."}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, p := range pkgs {
		from := own(p.PkgPath)
		lone := true
		for path := range p.Imports {
			if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
				lines = append(lines, from+": "+own(path))
				lone = false
			}
		}
		if lone {
			lines = append(lines, from+":")
		}
	}
	slices.Sort(lines)
	return lines
}

// own returns the name of a package of ours without the module's.
func own(path string) string { return strings.TrimPrefix(path, module+"/") }
