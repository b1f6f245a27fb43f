package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// warmed is a module that imports what most scripts import.
const warmed = `
-- go.mod --
module example.com/warmed

go 1.26
-- m.go --
package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

var (
	_ = bytes.Equal
	_ = cmp.Compare[int]
	_ = errors.New
	_ = io.EOF
	_ = os.Exit
	_ = exec.Command
	_ = regexp.Match
	_ = runtime.GC
	_ = debug.Stack
	_ = slices.Contains[[]int]
	_ = sort.Ints
	_ = strconv.Itoa
	_ = strings.Cut
	_ = sync.OnceFunc
	_ = atomic.AddInt64
	_ = syscall.Getpid
	_ = time.Now
	_ = iter.Pull[int]
)

func main() { fmt.Println() }
-- m_test.go --
package main

import "testing"

func TestM(*testing.T) {}
`

// warmWraps are what is wrapped there: the standard library for tests and for programs, and with -backend copy the linker.
func warmWraps() []string {
	wraps := []string{"-mode exact go test .", "-mode exact go run ."}
	if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
		wraps = append(wraps, "-mode sampled -backend copy go build -o prog .")
	}
	return wraps
}

// warmCache returns a cache folder of goprofinstr, of which each script gets a copy. It has what somebody has who has used
// goprofinstr in another module: with an empty one the first wrap of each script takes half a second of CPU time more, and a
// second with -backend copy. Scripts whose subject is an empty cache set another folder.
func warmCache(t *testing.T, env []string) string {
	t.Helper()
	work := t.TempDir()
	module, cache := filepath.Join(work, "module"), filepath.Join(work, "cache")
	files, err := txtar.FS(txtar.Parse([]byte(warmed)))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(module, files); err != nil {
		t.Fatal(err)
	}
	for _, args := range warmWraps() {
		cmd := exec.Command("goprofinstr", append([]string{"wrap"}, strings.Fields(args)...)...)
		cmd.Dir = module
		cmd.Env = slices.Concat(os.Environ(), env, []string{"XDG_CACHE_HOME=" + cache})
		if strings.Contains(args, "copy") {
			cmd.Env = append(cmd.Env, "CGO_ENABLED=0") // as in the scripts
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("goprofinstr wrap %s: %v\n%s", args, err, out)
		}
	}
	return cache
}
