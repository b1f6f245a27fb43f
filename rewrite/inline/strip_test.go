package inline

import (
	"path"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestStrip strips a file; what others can see stays, and each line where it was.
func TestStrip(t *testing.T) {
	archive := txtar.Parse([]byte(stripped))
	src, want := archive.Files[0].Data, string(archive.Files[1].Data)
	inlinable := map[string]bool{"Small": true, "(*T).Get": true}
	got, err := Strip("p.go", src, inlinable, path.Base)
	if err != nil {
		t.Fatal(err)
	}
	if clean(string(got)) != clean(want) {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if strings.Count(string(got), "\n") != strings.Count(string(src), "\n") {
		t.Error("it has another number of lines")
	}
}

// clean removes blanks at ends of lines, and lines without anything else.
func clean(s string) string {
	var lines []string
	for line := range strings.Lines(s) {
		if line = strings.TrimRight(line, " \n"); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

const stripped = `
-- before --
package p

import (
	_ "embed"
	"fmt"
	"os"
	str "strings"
	"sort"
)

//go:embed p.txt
var text string

type T struct{ n int }

func (t *T) Get() int { return t.n }

func (t *T) Set(n int) {
	// a comment
	fmt.Println(n)
}

func (t T) init() { str.ToUpper("x") }

func init() {
	sort.Ints(nil)
}

func Small() int { return os.Getpid() }

func Large(w *str.Builder) { for { fmt.Fprintln(w) } }

func Generic[K any](k K) {
	println(k)
}

func (l List[K]) Len() int {
	return len(l)
}

var f = func() {
	println()
}
-- after --
package p

import (
	_ "embed"
	_ "fmt"
	"os"
	str "strings"
	_ "sort"
)

var text string

type T struct{ n int }

func (t *T) Get() int { return t.n }

func (t *T) Set(n int)

func (t T) init() { str.ToUpper("x") }

func init() {
}

func Small() int { return os.Getpid() }

func Large(w *str.Builder)

func Generic[K any](k K) {
	println(k)
}

func (l List[K]) Len() int {
	return len(l)
}

var f = func() {
	println()
}
`

// TestStripRefuses has imports whose use cannot be seen.
func TestStripRefuses(t *testing.T) {
	for _, src := range []string{"package p\n\nimport \"C\"\n", "package p\n\nimport . \"fmt\"\n", "package"} {
		if got, err := Strip("p.go", []byte(src), nil, path.Base); err == nil {
			t.Errorf("%q becomes %q", src, got)
		}
	}
}
