package inline

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testedFiles are a package with tests in which its functions are called in all ways that are told by name.
var testedFiles = map[string]string{
	"go.mod": "module example.com/m\n\ngo 1.26\n",
	"p.go": `package p

type T int

func (t *T) Inc(n int) *T { *t += T(inner(n)); return t }

func inner(n int) int { return n + 1 }

func Outer(n int) int { return inner(n) * 2 }

func Gen[X any](x X) X { return x }
`,
	"p_test.go": `package p

import "testing"

func helper(n int) int { return Outer(n) + 1 }

func helps(n int) int { return helper(n) + helper(n) }

func TestInner(t *testing.T) {
	var x T
	x.Inc(1).
		Inc(
			helps(2))
	check := func(n int) int { return inner(n) }
	for range 3 {
		check(Outer(3))
	}
	defer cleanup(inner(2))
	if func() int { return Outer(2) }() != 6 {
		t.Error("not 6")
	}
}

func cleanup(int) {}
`,
	"x_test.go": `package p_test

import (
	"testing"

	"example.com/m"
)

func twice(n int) int { return 2 * p.Outer(n) }

func TestOuter(t *testing.T) {
	if twice((*p.T).Inc(new(p.T), 1).N() + p.Outer(2)) != 16 {
		t.Error("not 16")
	}
}
`,
	"export_test.go": `package p

func (t *T) N() int { return int(*t) }
`,
}

// listTested returns what the compiler says about a package, with or without its tests, and the packages of the build with tests.
func listTested(t *testing.T, files map[string]string, args ...string) (map[string]*Compilation, []*Package) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	cmd := exec.Command("go", append(args, "-o="+os.DevNull, "-gcflags=-m", ".")...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file := func(name string) string { return filepath.Join(dir, name) }
	return Parse(out), []*Package{
		{ID: "example.com/m", Path: "example.com/m", Name: "p", Files: []string{file("p.go")}, Instrumented: true},
		{ID: "example.com/m [example.com/m.test]", Path: "example.com/m", Name: "p", Instrumented: true,
			Files: []string{file("export_test.go"), file("p.go"), file("p_test.go")}},
		{ID: "example.com/m_test [example.com/m.test]", Path: "example.com/m_test", Name: "p_test", Files: []string{file("x_test.go")}},
	}
}

// TestNamed holds the edges that are found by name against those that the compiler tells, when it compiles the tests.
func TestNamed(t *testing.T) {
	all, packages := listTested(t, testedFiles, "test", "-c", "-vet=off")
	full, _ := Edges(Source{Compilations: all, Packages: packages, Read: os.ReadFile})
	plain, packages := listTested(t, testedFiles, "build")
	named, ok := Edges(Source{Compilations: plain, Packages: packages, Read: os.ReadFile, Partial: true})
	if !ok {
		t.Fatal("edges of a package without generic calls in its tests are not found")
	}
	for range 5 { // the profile's name is in the keys of the build cache
		if again, _ := Edges(Source{Compilations: plain, Packages: packages, Read: os.ReadFile, Partial: true}); !cmp.Equal(again, named) {
			t.Fatal("other edges the next time")
		}
	}
	const pkg = "example.com/m"
	if len(full[pkg]) < 20 {
		t.Errorf("only %d edges to compare", len(full[pkg]))
	}
	for _, e := range full[pkg] {
		if !slices.Contains(named[pkg], e) && !isSmall(e.Callee) {
			t.Errorf("%s %+d %s is not found", e.Caller, e.Offset, e.Callee)
		}
	}
	for _, e := range named[pkg] {
		if slices.Contains(full[pkg], e) {
			continue
		}
		// Names alone do not tell whether check is a literal and which. And what calls in test packages of their own stand for is not
		// looked up.
		if !strings.Contains(e.Caller, "TestInner") && !strings.Contains(e.Callee+" "+e.Caller, pkg+"_test.") {
			t.Errorf("%s %+d %s is not there", e.Caller, e.Offset, e.Callee)
		}
	}
	if got := slices.Sorted(maps.Keys(named)); !cmp.Equal(got, []string{pkg}) {
		t.Errorf("edges for %v", got)
	}
}

// isSmall reports whether a function in a test calls none of ours. It costs what it did.
func isSmall(symbol string) bool {
	return strings.HasSuffix(symbol, ".cleanup") || strings.HasSuffix(symbol, ".deferwrap1") || strings.HasSuffix(symbol, ".N")
}

// TestNamedGeneric calls a generic function in a test: only the compiler knows which instance that is.
func TestNamedGeneric(t *testing.T) {
	for _, file := range []string{"p_test.go", "x_test.go"} {
		files := maps.Clone(testedFiles)
		files[file] = strings.Replace(strings.Replace(files[file], "Outer(2)", "Gen(2)", 1), "p.Gen", "p.Gen[int]", 1)
		plain, packages := listTested(t, files, "build")
		s := Source{Compilations: plain, Packages: packages, Read: os.ReadFile, Partial: true}
		if _, ok := Edges(s); ok {
			t.Errorf("%s: the package alone is enough", file)
		}
		all, packages := listTested(t, files, "test", "-c", "-vet=off")
		const tested = "example.com/m [example.com/m.test]"
		s = Source{Compilations: map[string]*Compilation{tested: all[tested]}, Packages: packages, Read: os.ReadFile, Partial: true}
		edges, ok := Edges(s)
		if want := file == "p_test.go"; ok != want {
			t.Errorf("%s: with the package's own tests it is %v, want %v", file, ok, want)
		}
		isGen := func(e Edge) bool { return e.Callee == "example.com/m.Gen[go.shape.int]" && e.Caller != anywhere }
		if ok && !slices.ContainsFunc(edges["example.com/m"], isGen) {
			t.Errorf("%s: no call of the instance", file)
		}
	}
}
