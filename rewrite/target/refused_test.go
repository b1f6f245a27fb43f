package target

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRefused has mistakes be of the features in whose files or calls they are.
func TestRefused(t *testing.T) {
	tc := Toolchain{GOROOT: runtime.GOROOT(), GOOS: "linux", GOARCH: "amd64"}
	h := RuntimeHooks(tc, true, os.ReadFile)
	proc := h.Files[filepath.Join(tc.GOROOT, "src", "runtime", "proc.go")]
	line := 1 + bytes.Count(proc[:bytes.Index(proc, []byte("goprofinstr_dropped("))], []byte("\n"))
	for _, test := range []struct {
		said string
		want []Missing
	}{
		{"# runtime\nruntime/goprofinstr_stack.go:33:5: u.symPC undefined\nruntime/goprofinstr_stack.go:34:5: x\n",
			[]Missing{{Feature: Timers, File: "runtime/goprofinstr_stack.go", Why: "u.symPC undefined"}}},
		{fmt.Sprintf("# runtime\nruntime/proc.go:%d:5: gp.m.curg undefined\n", line),
			[]Missing{{Feature: Shards, File: "runtime/proc.go", Why: "gp.m.curg undefined"}}},
		{fmt.Sprintf("runtime/goprofinstr_stack.go:33:5: a\nruntime/proc.go:%d:5: b\nruntime/goprofinstr_stack.go:34:5: c\n", line),
			[]Missing{
				{Feature: Timers, File: "runtime/goprofinstr_stack.go", Why: "a"},
				{Feature: Shards, File: "runtime/proc.go", Why: "b"},
			}},
	} {
		if diff := cmp.Diff(test.want, h.Refused(tc, test.said)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.said, diff)
		}
		left := RuntimeHooks(tc, true, os.ReadFile, test.want...)
		if f := test.want[0].Feature; left.Has(f) || !left.Has(Abandoned) {
			t.Errorf("refused %s, left %v", f, left.features)
		}
	}
	all := h.Refused(tc, "go: the build cache is full\n")
	if len(all) != len(h.features) || len(RuntimeHooks(tc, true, os.ReadFile, all...).Files) > 0 {
		t.Errorf("%v refused of %v", all, h.features)
	}
	if why := all[0].Why; why != "it does not compile with hooks: go: the build cache is full" {
		t.Error(why)
	}
}

// TestMissing takes anchors away, and has them be there twice.
func TestMissing(t *testing.T) {
	tc := Toolchain{GOROOT: runtime.GOROOT(), GOOS: "linux", GOARCH: "amd64"}
	whole := RuntimeHooks(tc, true, os.ReadFile)
	for _, a := range Anchors(tc) {
		for times, why := range map[int]string{0: "is not in it", 2: "is in it 2 times"} {
			source := func(name string) ([]byte, error) {
				src, err := os.ReadFile(name)
				if strings.HasSuffix(filepath.ToSlash(name), "/"+a.File) {
					src = bytes.ReplaceAll(src, []byte(a.Text), []byte(strings.Repeat(a.Text, times)))
				}
				return src, err
			}
			h := RuntimeHooks(tc, true, source)
			want := Missing{a.Feature, a.File, a.Text, why}
			if h.Has(a.Feature) || !slices.Contains(h.Missing, want) {
				t.Errorf("%v is not missed: %v", want, h.Missing)
			}
			for name := range h.Files {
				if whole.Files[name] == nil {
					t.Errorf("without %v there is %s", want, name)
				}
			}
		}
	}
}
