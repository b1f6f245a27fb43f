package ssacfg

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// droppedSource has literals in code that the compiler drops, or may be thought to drop, each on a line of its own. What
// is behind "dead" is dropped.
const droppedSource = `package p

import "unsafe"

const off, on, two = false, true, 2

func use(f func()) {}

func cond() bool { return len(os) > 1 }

var os []int

func ifs() {
	if off {
		use(func() {}) // dead
		use(func() { // dead
			use(func() {}) // dead
		})
	}
	if on {
		use(func() {})
	} else if cond() {
		use(func() {}) // dead
	}
	if !on {
		use(func() {}) // dead
	} else {
		use(func() {
			if off {
				use(func() {}) // dead
			}
			use(func() {})
		})
	}
	if off && cond() {
		use(func() {}) // dead
	}
	if cond() && off {
		use(func() {}) // dead
	}
	if cond() && (off || !on) {
		use(func() {}) // dead
	}
	if (off && cond()) {
		use(func() {})
	}
	if cond() || on {
		use(func() {})
	} else {
		use(func() {}) // dead
	}
	if cond() || off {
		use(func() {})
	} else {
		use(func() {})
	}
	if on && two == 3 {
		use(func() {}) // dead
	}
	if off && func() bool { // dead
		return on
	}() {
	}
	if on || func() bool { // dead
		return on
	}() {
		use(func() {})
	}
}

func fors() {
	for ; off; use(
		func() {}, // dead
	) {
		use(func() {}) // dead
	}
	for off && cond() {
		use(func() {}) // dead
	}
	for cond() {
		use(func() {})
	}
}

func switches(n int) {
	switch two {
	case 1:
		use(func() {}) // dead
	case 2, 5, 7:
		use(func() {})
	default:
		use(func() {}) // dead
	}
	switch two {
	case 1, 3, 5:
		use(func() {}) // dead
	default:
		use(func() {})
	case 4:
		use(func() {}) // dead
	}
	switch two {
	case 1:
		use(func() {}) // dead
	}
	switch two {
	case 1:
		use(func() {})
	case 2:
		use(func() {})
		fallthrough
	case 3:
		use(func() {})
	}
	switch two {
	case n:
		use(func() {})
	case 2:
		use(func() {})
	}
	switch two {
	case 2:
		use(func() {})
	case n:
		use(func() {}) // dead
	}
	switch {
	case off:
		use(func() {}) // dead
	case on && two == 2:
		use(func() {})
	case cond():
		use(func() {}) // dead
	}
	switch {
	case cond():
		use(func() {})
	case off:
		use(func() {})
	}
	switch n {
	case 1:
		return
		use(func() {}) // dead
	}
	use(func() {})
}

func returns() {
	{
		if on {
			return
		}
	}
	use(func() {}) // dead
}

func noReturn() {
	{
		if cond() {
			return
		}
	}
	if off {
		return
	}
	use(func() {})
}

func panics() {
	if cond() {
		panic(1)
	} else {
		return
	}
	use(func() {}) // dead
	if off {
		use(func() {}) // dead
	}
}

func shadowed() {
	panic := func(int) {}
	panic(1)
	use(func() {})
}

func labels() {
	if cond() {
		goto behind
	}
	return
	use(func() {})
behind:
	use(func() {})
	return
	use(func() {}) // dead
}

func labelled() {
	goto end
end:
	return
	use(func() {})
}

func selects(c chan int) {
	for {
		select {
		case <-c:
			if off {
				use(func() {}) // dead
				continue
			}
			continue
			use(func() {})
		default:
			goto out
			use(func() {}) // dead
		}
	}
out:
}

func seq(yield func(int) bool) {}

func overFuncs(c chan int) {
outer:
	for range 3 {
		for range seq {
			if cond() {
				break
				use(func() {}) // dead
			}
			if cond() {
				continue
				use(func() {}) // dead
			}
			if cond() {
				break outer
				use(func() {}) // dead
			}
			if cond() {
				continue outer
				use(func() {}) // dead
			}
			for range 3 {
				break
				use(func() {})
			}
			select {
			case <-c:
				break
				use(func() {})
			default:
				continue
				use(func() {}) // dead
			}
			use(func() {
				for cond() {
					continue
					use(func() {})
				}
			})
			if cond() {
				break
			} else {
				return
			}
			use(func() {}) // dead
		}
		use(func() {})
		continue
		use(func() {})
	}
	use(func() {})
}

func nestedOverFuncs(it func(func() bool)) {
loop:
	for range seq {
	inner:
		for cond() {
			for range it {
				switch {
				case cond():
					continue inner
					use(func() {}) // dead
				case off:
					use(func() {})
				default:
					break loop
					use(func() {}) // dead
				}
				use(func() {})
			}
			continue inner
			use(func() {})
		}
		continue loop
		use(func() {}) // dead
	}
	use(func() {})
}

func filter(it func(func(int) bool), f func()) func(func(int) bool) { return it }

func orderOverFuncs() {
	use(func() {})
	for range filter(filter(seq, func() {
		use(func() {})
	}), func() {}) {
		use(func() {})
		for range seq {
			use(func() {
				for range seq {
					use(func() {})
				}
			})
		}
		for range seq {
			use(func() {})
		}
	}
	if off {
		for range seq {
			use(func() {}) // dead
		}
	}
	for range seq {
		use(func() {})
	}
	const size = unsafe.Sizeof(func() {
		use(func() {})
	})
	var list [unsafe.Sizeof(func() {})]byte
	if off {
		const size = unsafe.Sizeof(func() {})
	}
	use(func() {
		_, _ = size, list
	})
	var index []int
	for index[func() int {
		return 1
	}()] = range seq {
		use(func() {})
	}
}
`

// TestDropped holds the names of function literals against those that the compiler gives them.
func TestDropped(t *testing.T) {
	lines := strings.Split(droppedSource, "\n")
	compiled := compiledNames(t, droppedSource)
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", droppedSource, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	in := Input{Path: "p", Fset: fset, Files: []*ast.File{file}, Importer: importer.Default(), Sizes: types.SizesFor("gc", "amd64"),
		RangeNames: version.Compare(runtime.Version(), "go1.27") >= 0}
	funcs, err := Analyze(in)
	if err != nil {
		t.Fatal(err)
	}
	names := make(map[string]bool)
	for _, fn := range funcs {
		if names[fn.Name] {
			t.Errorf("two functions are called %s", fn.Name)
		}
		names[fn.Name] = true
		line := fset.Position(fn.Node.Pos()).Line
		if _, ok := fn.Node.(*ast.FuncLit); !ok {
			continue
		}
		if dead := strings.HasSuffix(lines[line-1], "// dead"); dead != strings.Contains(fn.Name, "-dead") {
			t.Errorf("line %d: %s, %q", line, fn.Name, lines[line-1])
		}
		if name := compiled[line]; name == "" != strings.Contains(fn.Name, "-dead") || name != "" && name != fn.Name {
			t.Errorf("line %d: %s, which the compiler calls %q", line, fn.Name, name)
		}
	}
}

// compiledText finds where a function begins in what the compiler prints with -S.
var compiledText = regexp.MustCompile(`p\.go:([0-9]+)\)\tTEXT\tp\.(\S+)\(SB\)`)

// compiledNames returns the compiler's names of the functions of package p, by line.
func compiledNames(t *testing.T, src string) map[int]string {
	t.Helper()
	if testing.Short() {
		t.Skip("it compiles")
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "p.go")
	if err := os.WriteFile(name, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "tool", "compile", "-S", "-l", "-p", "p", "-o", filepath.Join(dir, "p.o"), name)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	names := make(map[int]string)
	for _, m := range compiledText.FindAllStringSubmatch(string(out), -1) {
		line, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		names[line] = m[2]
	}
	return names
}
