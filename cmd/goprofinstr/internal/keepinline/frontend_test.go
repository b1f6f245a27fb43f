package keepinline

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/packages"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/buildtest"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/results"
	"github.com/goprofinstr/goprofinstr/rewrite/inline"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/rewrite/release"
)

// start does what Prepare does until there are packages to compile.
func start(t *testing.T, line string, testFiles bool, patterns ...string) *Cached {
	t.Helper()
	c, tc := buildtest.Command(t, line)
	build := buildtest.Load(t, c, tc, testFiles, patterns...)
	in, err := New(c, tc, build, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return in.Cached(results.Open(tc), build, nil, false)
}

// TestFrontEnd holds what the compiler's front end says against what the go command has it say, with flags, with
// generic functions, with assembly, and with the test files that are compiled where there are generic functions.
func TestFrontEnd(t *testing.T) {
	buildtest.EmptyCache(t)
	for _, test := range []struct {
		line     string
		patterns []string
		ids      []string
	}{
		{"go build go/scanner", []string{"go/scanner", "go/token"}, []string{"go/scanner", "go/token"}},
		{"go build -gcflags=go/scanner=-l -race go/scanner", []string{"go/scanner", "go/token"},
			[]string{"go/scanner", "go/token"}},
		{"go build math/big", []string{"math/big"}, []string{"math/big"}},
		{"go test container/heap", []string{"container/heap"}, []string{"container/heap"}},
		{"go test unique", []string{"unique"}, []string{"unique [unique.test]"}},
	} {
		in := start(t, test.line, false, test.patterns...)
		if in.frontEnd == nil {
			t.Errorf("%s: the front end is not used", test.line)
			continue
		}
		if err := in.build.LoadExports(nil, in.Missing()); err != nil {
			t.Fatal(err)
		}
		got, err := in.frontEnd.run()
		if err != nil {
			t.Errorf("%s: %v", test.line, err)
			continue
		}
		want, err := in.list(in.flags, "")
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(test.ids) {
			t.Errorf("%s: %d packages, want %d", test.line, len(got), len(test.ids))
		}
		for _, id := range test.ids {
			if diff := cmp.Diff(atBase(want[id]), atBase(got[id])); diff != "" {
				t.Errorf("%s: %s (-go command +front end):\n%s", test.line, id, diff)
			}
		}
		again := start(t, test.line, false, test.patterns...)
		if n := len(again.Missing()); n > 0 {
			t.Errorf("%s: %d packages are compiled a second time", test.line, n)
		}
	}
}

// atBase takes the folders off, which the go command prints in its own way.
func atBase(c *inline.Compilation) *inline.Compilation {
	if c == nil {
		return &inline.Compilation{}
	}
	b := &inline.Compilation{Inlinable: c.Inlinable}
	for _, call := range c.Calls {
		call.File = filepath.Base(call.File)
		b.Calls = append(b.Calls, call)
	}
	return b
}

// TestUsable has builds that take the go command.
func TestUsable(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":          "module m\n\ngo 1.26\n",
		"main.go":         "package main\n\nfunc main() {}\n",
		"main_test.go":    "package main\n",
		"pgo/main.go":     "package main\n\nfunc main() {}\n",
		"pgo/default.pgo": "",
		"overlay.json":    "{}",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for line, want := range map[string]bool{
		"build .":                      true,
		"test .":                       true,
		"test -tests .":                false,
		"build ./pgo":                  false,
		"build -pgo=off ./pgo":         true,
		"build -pgo=auto ./pgo":        false,
		"build -pgo=pgo/default.pgo .": false,
		"build -toolexec=env .":        false,
		"build -compiler=gc .":         false,
		"build -overlay=" + dir + "/overlay.json .": false,
	} {
		buildtest.EmptyCache(t)
		before, after, tests := strings.Cut(line, "-tests ")
		in := start(t, "go "+strings.Replace(before+after, " ", " -C="+dir+" ", 1), tests)
		if got := in.frontEnd != nil; got != want {
			t.Errorf("go %s: %v, want %v", line, got, want)
		}
	}
}

func TestLanguageFlags(t *testing.T) {
	for _, test := range []struct {
		module *packages.Module
		path   string
		want   []string
	}{
		{nil, "sort", []string{"-std"}},
		{nil, load.FilesPackage, nil},
		{&packages.Module{}, "m", []string{"-lang=go1.16"}},
		{&packages.Module{GoVersion: "1.18"}, "m", []string{"-lang=go1.18"}},
		{&packages.Module{GoVersion: "1.21.3"}, "m", []string{"-lang=go1.21"}},
		{&packages.Module{GoVersion: "1.27rc1"}, "m", []string{"-lang=go1.27"}},
	} {
		if got := languageFlags(test.module, test.path, "go1.16"); !slices.Equal(got, test.want) {
			t.Errorf("%+v: %v, want %v", test.module, got, test.want)
		}
	}
}

func TestUntilEscapes(t *testing.T) {
	const inlined = "p.go:1:2: can inline f with cost 2 as: func() { \"a does not escape\" }\n" +
		"p.go:2:1: inlining call to f\np.go:3:1: devirtualizing x.m to T\n"
	compiler := &release.Newest().Compiler
	for _, escapes := range []string{"p.go:3:1: x does not escape\n", "p.go:3:1: x escapes to heap in f:\n",
		"p.go:3:1: leaking param: x\n", "p.go:3:1: moved to heap: x\n"} {
		r := strings.NewReader(inlined + escapes + "p.go:4:1: more\n")
		if got, stopped := untilEscapes(r, compiler); string(got) != inlined || !stopped {
			t.Errorf("%sends with %q, %v", escapes, got, stopped)
		}
	}
	if got, stopped := untilEscapes(strings.NewReader(inlined), compiler); string(got) != inlined || stopped {
		t.Errorf("without more: %q, %v", got, stopped)
	}
}

func TestDeclaresGeneric(t *testing.T) {
	for src, want := range map[string]bool{
		"func F[T any](x T) {}":                      true,
		"func (s *S[K, V]) Get(k K) V {":             true,
		"func (s S[T]) Len() int {":                  true,
		"func F(x []int) {":                          false,
		"func (s S) Get() [3]int {":                  false,
		"// func F[T any]() is mentioned":            false,
		"\tfunc F[T any]() // not at a line's start": false,
	} {
		if got := declaresGeneric.MatchString("package p\n\n" + src + "\n"); got != want {
			t.Errorf("%s: %v, want %v", src, got, want)
		}
	}
}
