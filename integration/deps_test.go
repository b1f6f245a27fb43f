package integration

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

const module = "github.com/goprofinstr/goprofinstr"

// imports is the import lattice: which of our packages each of them may
// import. Data flows from top to bottom in the table; nothing below imports what
// is above it but as listed.
var imports = map[string][]string{
	"ssacfg/pathnum": {},
	"ssacfg/mark":    {},
	"ssacfg/partial": {},
	"ssacfg/table":   {"ssacfg/partial", "ssacfg/pathnum"},
	"ssacfg/timing":  {},
	"ssacfg":         {"ssacfg/mark", "ssacfg/pathnum", "ssacfg/table", "ssacfg/timing"},

	"sampler":        {},
	"sampler/pcct":   {},
	"sampler/stream": {},
	"rt":             {"sampler", "sampler/pcct", "sampler/stream"}, // these are linked into programs together
	"rt/rundata":     {"rt", "sampler", "sampler/pcct"},

	"rewrite/load":   {},
	"rewrite/target": {"rt"},
	"rewrite/inline": {"export/pgo", "ssacfg/mark"},
	"rewrite/patch":  {"rt"},
	"rewrite":        {"rewrite/load", "rt", "sampler", "sampler/stream", "ssacfg", "ssacfg/mark", "ssacfg/pathnum", "ssacfg/table", "ssacfg/timing"},
	"rewrite/clone":  {},

	"export/pgo":     {},
	"export/profile": {"export/internal/show", "rt", "rt/rundata", "sampler/pcct", "ssacfg/pathnum", "ssacfg/table"},
	"export/compare": {"export/profile", "ssacfg/table"},
	"export/gate":    {"export/compare", "export/profile", "ssacfg/pathnum", "ssacfg/table"},
	"export/source":  {"export/profile", "ssacfg/table"},
	"export":         {"export/compare", "export/gate", "export/internal/show", "export/pgo", "export/profile", "export/source", "sampler/pcct", "ssacfg/table"},

	"export/page": {"export", "export/internal/show", "export/profile", "export/source", "ssacfg/table"},

	"export/verdict": {},
	"export/audit":   {"export/internal/show", "export/verdict"},

	"export/coverprofile": {"export/internal/show", "export/profile", "rt/rundata", "ssacfg/table"},

	"cmd/goprofinstr/internal/cache":    {},
	"cmd/goprofinstr/internal/gitdiff":  {},
	"cmd/goprofinstr/internal/gocmd":    {},
	"cmd/goprofinstr/internal/progress": {},
	"cmd/goprofinstr/internal/instrument": {
		"cmd/goprofinstr/internal/cache", "cmd/goprofinstr/internal/gocmd", "cmd/goprofinstr/internal/progress", "export/coverprofile", "export/pgo", "export/profile", "rewrite", "rewrite/clone", "rewrite/inline", "rewrite/load", "rewrite/target", "rt",
	},
	"cmd/goprofinstr/internal/doctor": {"cmd/goprofinstr/internal/gocmd", "cmd/goprofinstr/internal/instrument", "export/profile", "rewrite/patch"},
	"cmd/goprofinstr": {
		"cmd/goprofinstr/internal/doctor", "cmd/goprofinstr/internal/gitdiff", "cmd/goprofinstr/internal/gocmd", "cmd/goprofinstr/internal/instrument", "cmd/goprofinstr/internal/progress", "export", "export/audit", "export/compare", "export/coverprofile", "export/gate", "export/page", "export/profile", "export/verdict", "rewrite/patch", "rt/rundata", "sampler", "sampler/pcct", "sampler/stream", "ssacfg/pathnum", "ssacfg/table",
	},

	// The evaluation knows the program by its command line and the profiles it writes.
	"integration/internal/fetch": {},
	"integration/internal/tool":  {},
	"integration/eval/accuracy":  {"export/profile"},
	"integration/eval/contexts":  {"export/profile"},
	"integration/eval/strat":     {"sampler/stream"},
	"integration/eval/record":    {"export/profile", "integration/eval/strat", "integration/internal/tool", "rt", "sampler/stream", "ssacfg/pathnum", "ssacfg/table"},
	"integration/eval":           {"export/audit", "export/profile", "export/verdict", "integration/eval/accuracy", "integration/eval/contexts", "integration/eval/record", "integration/eval/strat", "integration/internal/fetch", "integration/internal/tool", "rt/rundata", "sampler/stream"},
}

// foreign says which packages may import some modules: go/ssa stays within ssacfg.
var foreign = map[string][]string{
	"github.com/bluekeyes/go-gitdiff":            {"cmd/goprofinstr/internal/gitdiff"},
	"github.com/rogpeppe/go-internal/lockedfile": {"export/profile"},
	"golang.org/x/term":                          {"cmd/goprofinstr/internal/progress"},
	"golang.org/x/tools/go/ssa":                  {"ssacfg"},
	"gonum.org/v1/gonum":                         {"export/verdict"},
	"golang.org/x/tools/go/packages":             {"rewrite/load", "cmd/goprofinstr/internal/instrument"},
	"github.com/google/pprof":                    {"export", "export/pgo", "rewrite/inline", "integration/eval", "integration/eval/contexts"},
}

func TestImports(t *testing.T) {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedImports, Dir: ".."}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for _, p := range pkgs {
		name := strings.TrimPrefix(p.PkgPath, module+"/")
		top, _, _ := strings.Cut(name, "/")
		allowed, ok := imports[name]
		if !ok && (top == "examples" || top == "integration" || strings.HasPrefix(name, "export/internal/")) {
			continue // tests and programs of their own
		}
		if !ok {
			t.Errorf("%s is not in the table", name)
			continue
		}
		seen[name] = true
		for path := range p.Imports {
			if own, ok := strings.CutPrefix(path, module+"/"); ok && !slices.Contains(allowed, own) {
				t.Errorf("%s imports %s", name, own)
			}
			for prefix, users := range foreign {
				if (path == prefix || strings.HasPrefix(path, prefix+"/")) && !slices.Contains(users, name) {
					t.Errorf("%s imports %s", name, path)
				}
			}
		}
	}
	for name := range imports {
		if !seen[name] {
			t.Errorf("%s is in the table but does not exist", name)
		}
	}
}
