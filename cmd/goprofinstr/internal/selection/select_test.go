package selection

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/alone"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// before is a workspace of packages p, which has the code, q, which imports it, and r, which does not.
var before = map[string]string{
	"p/p.go": `package p
import "fmt"
type T struct{ n int }
type Unused int
const limit = 3
const ( a = iota; b )
const size = 4
var table = []int{size}
var filled = fill()
func fill() int { return 1 }
func init() { table = nil }
func New() *T { return &T{} }
func (t *T) Get() int { return t.n }
func F(n int) int { if n > limit { return b }; return n }
func G() { fmt.Println(table) }
func Asm() int
func Value() any { return G }
`,
	"p/m.go": `package p
import "errors"
import "fmt"
const Exported = 1
func (t *T) Set(n int) { t.n = n }
`,
	"p/p_test.go": `package p
import "testing"
func helper() int { return 1 }
type fake struct{}
func (fake) M() { helper() }
var shared = fake{}
func TestF(t *testing.T) { F(1) }
func TestG(t *testing.T) { helper() }
func TestGet(t *testing.T) { New().Get() }
func TestFake(t *testing.T) { shared.M() }
func TestValue(t *testing.T) { Value() }
func ExampleF() {
	F(1)
	// Output: 1
}
`,
	"q/q.go": `package q
import "w/p"
func Use() int { return p.F(2) }
func Same() int { return 1 }
func Const() int { return p.Exported }
`,
	"q/q_test.go": `package q
import "testing"
func TestUse(t *testing.T) { Use() }
func TestSame(t *testing.T) { Same() }
func TestConst(t *testing.T) { Const() }
`,
	"r/r_test.go": `package r
import "testing"
func TestR(t *testing.T) {}
`,
	"p/testdata/x.txt": "x\n",
	"README.md":        "x\n",
}

// executed are the functions that tests have entered.
var executed = map[string]map[string]string{
	"p": {
		"TestF": "p func F", "TestG": "", "TestGet": "p func New,p method T.Get", "TestFake": "", "ExampleF": "p func F",
		"TestValue": "p func Value",
	},
	"q": {"TestUse": "q func Use,p func F", "TestSame": "q func Same", "TestConst": "q func Const"},
	"r": {"TestR": ""},
}

// A setting is what a test changes of all that.
type setting struct {
	edit     []string            // file, old text, new text; of a file that is not there the old text is ""
	gone     string              // file
	opened   map[string][]string // by test
	looked   map[string][]string // the same
	starts   string              // test that starts programs
	failed   string              // test
	unread   string              // test
	noData   string              // package
	unowned  string              // function that a process of no test has entered
	declined string              // function
	modified string              // file that was modified when the data were made
	ignored  string              // file that the build leaves out
	outside  string              // folder of package x, which q imports
	embedded string              // file, in p
}

// TestSelect has a rule in each case.
func TestSelect(t *testing.T) {
	const allOfPQ = "p: *; q: *"
	edit := func(file, old, now string) setting { return setting{edit: []string{file, old, now}} }
	for name, test := range map[string]struct {
		setting
		want string
	}{
		"nothing":                   {setting{}, ""},
		"body":                      {edit("p/p.go", "return t.n", "return t.n + 0"), "p: TestGet; compiled: q"},
		"body of q":                 {edit("q/q.go", "p.F(2)", "p.F(3)"), "q: TestUse"},
		"body in two packages":      {edit("p/p.go", "return n }", "return n+0 }"), "p: ExampleF TestF; q: TestUse"},
		"comment":                   {edit("p/p.go", "type T", "// T is one.\ntype T"), "compiled: p q"},
		"signature":                 {edit("p/p.go", "func F(n int)", "func F(n int8)"), "p: ExampleF TestF; q: TestUse"},
		"type":                      {edit("p/p.go", "struct{ n int }", "struct{ n int; m int }"), "p: TestGet; compiled: q"},
		"type that nobody has":      {edit("p/p.go", "Unused int", "Unused int8"), "compiled: p q"},
		"new method":                {edit("p/p.go", "func G", "func (t T) String() string { return \"\" }\nfunc G"), "p: TestGet; compiled: q"},
		"method gone":               {edit("p/p.go", "func (t *T) Get() int { return t.n }", ""), "p: TestGet; compiled: q"},
		"constant":                  {edit("p/p.go", "limit = 3", "limit = 4"), "p: ExampleF TestF; q: TestUse"},
		"constant before in group":  {edit("p/p.go", "a = iota; b", "z = iota; a; b"), "p: ExampleF TestF; q: TestUse"},
		"variable with a call":      {edit("p/p.go", "filled = fill()", "filled = fill() + 1"), allOfPQ},
		"variable by constant":      {edit("p/p.go", "size = 4", "size = 5"), allOfPQ}, // init mentions it
		"init":                      {edit("p/p.go", "table = nil", "table = table[:0]"), allOfPQ},
		"new function":              {edit("p/p.go", "func G", "func H() {}\nfunc G"), "compiled: p q"},
		"new function by constant":  {edit("p/p.go", "func G", "func H() int { return a }\nfunc G"), "compiled: p q"},
		"function of Go's name":     {edit("p/p.go", "func G", "func len() {}\nfunc G"), allOfPQ},
		"new init":                  {edit("p/p.go", "func G", "func init() {}\nfunc G"), allOfPQ},
		"new variable":              {edit("p/p.go", "func G", "var x = 3\nfunc G"), "compiled: p q"},
		"new variable with a call":  {edit("p/p.go", "func G", "var x = F(3)\nfunc G"), allOfPQ},
		"signature of a value":      {edit("p/p.go", "func G()", "func G(n int)"), "p: TestValue; compiled: q"},
		"variable without its call": {edit("p/p.go", "filled = fill()", "filled = 1"), allOfPQ},
		"constant of another":       {edit("p/m.go", "Exported = 1", "Exported = 2"), "q: TestConst; compiled: p"},
		"new method elsewhere":      {edit("p/m.go", "func", "func (t T) String() string { return \"\" }\nfunc"), "p: TestGet; compiled: q"},
		"new type with a method":    {edit("p/m.go", "func", "type U int\nfunc (u U) M() {}\nfunc"), "compiled: p q"},
		"import in place":           {edit("p/p.go", `import "fmt"`, `import fmt "errors"`), allOfPQ},
		"directive":                 {edit("p/p.go", "func G", "//go:noinline\nfunc G"), allOfPQ},
		"import for its effects":    {edit("p/p.go", `import "fmt"`, `import "fmt"; import _ "embed"`), allOfPQ},
		"import of another":         {edit("p/p.go", `import "fmt"`, `import fmt "log"`), allOfPQ},
		"import of a new package":   {edit("p/p.go", `import "fmt"`, `import "fmt"; import "log"`), allOfPQ},
		"import of a known one":     {edit("p/p.go", `import "fmt"`, `import "fmt"; import "errors"`), "compiled: p q"},
		"not Go":                    {edit("p/p.go", "func G", "func"), allOfPQ},
		"new file":                  {edit("p/new.go", "", "package p\nfunc H() {}\n"), "compiled: p q"},
		"new file with init":        {edit("p/new.go", "", "package p\nfunc init() {}\n"), allOfPQ},
		"file that is left out": {
			setting{edit: []string{"p/new.go", "", "package p\nfunc init() {}\n"}, ignored: "p/new.go"}, "compiled: p q",
		},
		"file gone":              {setting{gone: "q/q.go"}, "q: *"},
		"function not in a file": {setting{edit: []string{"p/p.go", "func Asm() int", "func Asm() (n int)"}}, allOfPQ},

		"test":              {edit("p/p_test.go", "F(1) }", "F(2) }"), "p: TestF"},
		"example":           {edit("p/p_test.go", "Output: 1", "Output: 2"), "p: ExampleF"},
		"comment of a test": {edit("p/p_test.go", "func TestF", "// TestF tests.\nfunc TestF"), "compiled: p"},
		"helper":            {edit("p/p_test.go", "return 1", "return 2"), "p: TestFake TestG"},
		"method of a fake":  {edit("p/p_test.go", "M() { helper", "M() { _ = helper"), "p: TestFake"},
		"new test":          {edit("p/p_test.go", "func TestG", "func TestH(t *testing.T) {}\nfunc TestG"), "p: TestH"},
		"test gone":         {edit("p/p_test.go", "func TestF(t *testing.T) { F(1) }", ""), "compiled: p"},
		"TestMain":          {edit("p/p_test.go", "func TestF", "func TestMain(m *testing.M) {}\nfunc TestF"), "p: *"},
		"init of tests":     {edit("p/p_test.go", "func TestF", "func init() {}\nfunc TestF"), "p: *"},
		"directive of tests": {
			edit("p/p_test.go", "package p\n", "//go:build !x\npackage p\n"), "p: *",
		},
		"new helper": {edit("q/q_test.go", "func TestSame", "func Testdata() {}\nfunc TestSame"), "compiled: q"},
		"new example": {
			edit("q/q_test.go", "func TestSame", "func ExampleUse() {\n\tUse()\n\t// Output:\n}\nfunc TestSame"), "q: ExampleUse",
		},
		"new example without output": {
			edit("q/q_test.go", "func TestSame", "func ExampleUse() {\n\tUse() // Output\n}\nfunc TestSame"), "compiled: q",
		},

		"file":                   {edit("README.md", "x", "y"), ""},
		"file that is read":      {setting{edit: []string{"README.md", "x", "y"}, opened: map[string][]string{"TestR": {"README.md"}}}, "r: TestR"},
		"folder that is read":    {setting{edit: []string{"doc/new.md", "", "y"}, opened: map[string][]string{"TestR": {"."}}}, "r: TestR"},
		"folder, no other files": {setting{edit: []string{"README.md", "x", "y"}, opened: map[string][]string{"TestR": {"."}}}, ""},
		"file, and programs":     {setting{edit: []string{"README.md", "x", "y"}, starts: "TestSame"}, "q: TestSame"},
		"Go that is read": {
			setting{edit: []string{"p/p.go", "type T", "// T is one.\ntype T"}, opened: map[string][]string{"TestR": {"p/p.go"}}},
			"r: TestR; compiled: p q",
		},
		"Go that is looked for": {
			setting{edit: []string{"p/p.go", "type T", "// T is one.\ntype T"}, looked: map[string][]string{"TestR": {"p/p.go"}}},
			"compiled: p q",
		},
		"new Go that was looked for": {
			setting{edit: []string{"r/r.go", "", "package r\n"}, looked: map[string][]string{"TestSame": {"r/r.go"}}},
			"q: TestSame; compiled: r",
		},
		"new Go in a folder that is read": {
			setting{edit: []string{"r/r.go", "", "package r\n"}, opened: map[string][]string{"TestSame": {"r"}}},
			"q: TestSame; compiled: r",
		},
		"Go, and programs": {
			setting{edit: []string{"p/p.go", "return t.n", "return t.n + 0"}, starts: "TestR"},
			"p: TestGet; r: TestR; compiled: q",
		},
		"Go that is embedded": {setting{edit: []string{"p/p.go", "return t.n", "return t.n + 0"}, embedded: "p.go"}, allOfPQ},
		"testdata":            {edit("p/testdata/x.txt", "x", "y"), "p: *"},
		"embedded":            {setting{edit: []string{"p/testdata/x.txt", "x", "y"}, embedded: "testdata/x.txt"}, allOfPQ},
		"go.mod":              {edit("go.mod", "", "module w\n"), "p: *; q: *; r: *"},
		"vendor":              {edit("vendor/x/x.go", "", "package x\n"), "p: *; q: *; r: *"},

		"failed":        {setting{failed: "TestSame"}, "q: TestSame"},
		"unread":        {setting{unread: "TestSame"}, "q: TestSame"},
		"no data":       {setting{noData: "q"}, "q: *"},
		"unowned":       {setting{edit: []string{"p/p.go", "return t.n", "return 2"}, unowned: "p method T.Get"}, allOfPQ},
		"declined":      {setting{edit: []string{"p/p.go", "return t.n", "return 2"}, declined: "p method T.Get"}, allOfPQ},
		"modified":      {setting{modified: "p/p.go"}, allOfPQ},
		"modified test": {setting{modified: "p/p_test.go"}, "p: *"},
		"below":         {setting{outside: "/w/x"}, ""},
		"outside":       {setting{outside: "/elsewhere/x"}, "q: *"},
		"module cache":  {setting{outside: "/cache/x"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, run(t, test.setting)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestNames has flags that leave tests out, on the command line and in GOFLAGS. A pattern of subtests leaves out none.
func TestNames(t *testing.T) {
	s := newSelector(t, setting{}, before)
	for _, test := range []struct{ line, goflags, want string }{
		{"go test", "", "TestConst TestSame TestUse"},
		{"go test -run Same", "", "TestSame"},
		{"go test -skip Same", "", "TestConst TestUse"},
		{"go test -run [SU] -skip Use", "", "TestSame"},
		{"go test -skip Same/sub", "", "TestConst TestSame TestUse"},
		{"go test", "-run=[SU] -skip=Use", "TestSame"},
		{"go test -run Const", "-run=Same", "TestConst"},
	} {
		c, err := gocmd.Parse(strings.Fields(test.line))
		if err != nil {
			t.Fatal(err)
		}
		s.data.command, s.tc = c, &toolchain.Toolchain{GOFLAGS: test.goflags}
		if got := strings.Join(s.names(s.packages["w/q"]), " "); got != test.want {
			t.Errorf("%s, GOFLAGS=%s: %s, want %s", test.line, test.goflags, got, test.want)
		}
	}
}

// TestOverlayInGOFLAGS has an overlay that no profile is of: wrap refuses it there.
func TestOverlayInGOFLAGS(t *testing.T) {
	t.Setenv("GOFLAGS", "-overlay=o.json")
	d := &Data{command: &gocmd.Command{Go: "go", Verb: "test"}, manifest: new(profiledir.Manifest)}
	if _, err := Select(d, "HEAD"); err == nil || !strings.HasPrefix(err.Error(), "-overlay in GOFLAGS: ") {
		t.Errorf("error %v", err)
	}
}

// TestRest prints commands whose test binaries get what they got.
func TestRest(t *testing.T) {
	s := newSelector(t, setting{}, before)
	for line, want := range map[string]string{
		"go test ./q -v":                   "go test -v w/q",
		"go test ./q -v x":                 "go test -v w/q -args x",
		"go test ./q -- x":                 "go test w/q -args -- x",
		"go test ./q -update -v x -race":   "go test -v w/q -args -update x -race",
		"go test ./q -update -v -args x y": "go test -v w/q -args -update x y",
		"go test ./q -args -v":             "go test w/q -args -v",
	} {
		c, err := gocmd.Parse(strings.Fields(line))
		if err != nil {
			t.Fatal(err)
		}
		s.data.command = c
		if got := s.selection().command("", "w/q"); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

// TestRun has a profile of some of the tests, and a change that selects all: the others are left out again.
func TestRun(t *testing.T) {
	for line, want := range map[string]string{
		"go test ./...":                     "go test w/p w/q w/r",
		"go test -run=^Test(Same|F)$ ./...": "go test -run '^Test(Same|F)$' w/p w/q w/r",
		"go test -run Same -run= ./...":     "go test w/p w/q w/r",
		"go test -skip Same ./...":          "go test -skip Same w/p w/q w/r",
	} {
		s := newSelector(t, setting{}, before)
		var err error
		if s.data.command, err = gocmd.Parse(strings.Fields(line)); err != nil {
			t.Fatal(err)
		}
		s.everything("go.mod has changed")
		selected := s.selection()
		var out strings.Builder
		if err := selected.WriteText(&out, false); err != nil || out.String() != want+"\n" {
			t.Errorf("%s: %s, %v, want %s", line, out.String(), err, want)
		}
		out.Reset()
		var written struct{ Command []string }
		if err := selected.WriteJSON(&out); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(out.String()), &written); err != nil {
			t.Fatal(err)
		}
		if want, _, _ := strings.Cut(strings.ReplaceAll(want, "'", ""), " w/"); strings.Join(written.Command, " ") != want {
			t.Errorf("%s: the command in JSON is %q, want %s", line, written.Command, want)
		}
	}
}

// TestLeftOut has a change of the test that was left out only: nothing of its package is to be run.
func TestLeftOut(t *testing.T) {
	s := newSelector(t, setting{}, before)
	var err error
	if s.data.command, err = gocmd.Parse(strings.Fields("go test -run Same ./...")); err != nil {
		t.Fatal(err)
	}
	s.one(s.packages["w/r"], "TestR", "it has changed")
	if got := describe(s.selection()); got != "" {
		t.Errorf("selected: %s", got)
	}
}

// run returns what is selected.
func run(t *testing.T, set setting) string {
	now := maps.Clone(before)
	if e := set.edit; e != nil {
		old, there := now[e[0]]
		if there && strings.Count(old, e[1]) == 0 {
			t.Fatalf("%s has no %q", e[0], e[1])
		}
		now[e[0]] = e[2]
		if there {
			now[e[0]] = strings.Replace(old, e[1], e[2], 1)
		}
	}
	delete(now, set.gone)
	s := newSelector(t, set, now)
	var files []*changed
	for _, name := range slices.Sorted(maps.Keys(mapsUnion(before, now))) {
		old, was := before[name]
		text, is := now[name]
		unknown := s.data.isModified(name)
		if was && is && old == text && !unknown {
			continue
		}
		c := &changed{name: name, old: make(map[string][]byte), unknown: unknown}
		if is {
			c.now = []byte(text)
		}
		if old != text || was != is {
			c.old["head"] = nil
			if was {
				c.old["head"] = []byte(old)
			}
		}
		files = append(files, c)
	}
	s.addOutside()
	s.addChanges(files, []string{"head"})
	s.followMentions()
	s.addUnknown(len(files) > 0)
	return describe(s.selection())
}

func mapsUnion(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// describe returns a selection on a line.
func describe(r *Selection) string {
	var parts []string
	for _, p := range r.Packages {
		tests := strings.Join(p.Tests, " ")
		if p.isAll() {
			tests = "*"
		}
		parts = append(parts, path.Base(p.Path)+": "+tests)
	}
	if len(r.Compiled) > 0 {
		var names []string
		for _, p := range r.Compiled {
			names = append(names, path.Base(p))
		}
		parts = append(parts, "compiled: "+strings.Join(names, " "))
	}
	return strings.Join(parts, "; ")
}

// newSelector returns the selector before anything is selected.
func newSelector(t *testing.T, set setting, now map[string]string) *selector {
	s := &selector{
		root: "/w", cache: "/cache", tc: new(toolchain.Toolchain),
		packages: make(map[string]*listed), dirs: make(map[string]*listed), units: make(map[string][]*source),
		changed: make(map[string]bool), fresh: make(map[name]bool), retested: make(map[string]bool), known: make(map[mention]bool), result: make(map[string]*Package),
		data: &Data{
			manifest: &profiledir.Manifest{Head: "head", Modified: strings.Fields(set.modified)}, command: &gocmd.Command{Go: "go"},
			packages: make(map[string]*alone.Package), entered: make(map[*alone.Test]map[name]bool), unread: make(map[*alone.Test]bool),
			unowned: make(map[name]bool), functions: make(map[name]string),
		},
	}
	for p, imports := range map[string][]string{"p": {"fmt"}, "q": {"w/p"}, "r": nil} {
		l := &listed{Dir: "/w/" + p, ImportPath: "w/" + p, Imports: imports, root: true, tests: map[string]bool{"w/" + p: true}}
		s.packages[l.ImportPath], s.dirs[l.Dir] = l, l
		if set.noData != p {
			s.addData(set, p)
		}
	}
	s.packages["w/q"].tests["w/p"] = true
	if set.outside != "" {
		s.packages["x"] = &listed{Dir: set.outside, ImportPath: "x"}
		s.packages["w/q"].tests["x"] = true
	}
	s.packages["w/p"].EmbedFiles = strings.Fields(set.embedded)
	s.packages["fmt"] = &listed{ImportPath: "fmt", Standard: true, Imports: []string{"errors"}}
	for file, text := range now {
		p := s.dirs["/w/"+path.Dir(file)]
		switch {
		case p == nil || !strings.HasSuffix(file, ".go"):
		case set.ignored == file:
			p.IgnoredGoFiles = append(p.IgnoredGoFiles, path.Base(file))
		default:
			if src, err := parse(path.Base(file), []byte(text)); err == nil {
				s.units[p.ImportPath] = append(s.units[p.ImportPath], src)
			}
		}
	}
	for file, text := range before {
		if !strings.HasSuffix(file, ".go") || isTestFile(file) {
			continue
		}
		src, err := parse(path.Base(file), []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range src.declarations {
			if at := (name{"w/" + path.Dir(file), d.key}); (d.kind == function || d.kind == method) && d.key != "func Asm" {
				s.data.functions[at] = ""
			}
		}
	}
	if set.declined != "" {
		s.data.functions[nameOf(set.declined)] = "for a reason"
	}
	if set.unowned != "" {
		s.data.unowned[nameOf(set.unowned)] = true
	}
	return s
}

// addData adds what is known of the tests of a package.
func (s *selector) addData(set setting, p string) {
	record := &alone.Package{Dir: p}
	for _, test := range slices.Sorted(maps.Keys(executed[p])) {
		a := &alone.Test{
			Name: test, Runs: []string{fmt.Sprintf("run.%s.%s.gpi", p, test)}, Failed: test == set.failed, Starts: test == set.starts,
			Opened: set.opened[test], Looked: set.looked[test],
		}
		record.Tests = append(record.Tests, a)
		s.data.entered[a] = make(map[name]bool)
		s.data.unread[a] = test == set.unread
		for _, n := range strings.FieldsFunc(executed[p][test], func(r rune) bool { return r == ',' }) {
			s.data.entered[a][nameOf(n)] = true
		}
	}
	s.data.packages[p] = record
}

// nameOf returns the name that a text has: the package, and the key.
func nameOf(text string) name {
	pkg, key, _ := strings.Cut(text, " ")
	return name{"w/" + pkg, key}
}
