package rt_test

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"github.com/goprofinstr/goprofinstr/rt"
)

func TestSource(t *testing.T) {
	common := []string{"atomic_std.go", "audit.go", "audit_alone.go", "audit_lap.go", "audit_std.go", "burst.go", "context_none.go", "destination.go", "doc.go", "elected.go", "encode.go", "exact_atomic.go", "exit_std.go", "feed.go", "format.go", "frame.go", "hash.go", "marker.go", "names.go", "native_none.go", "probe.go", "probe_fault.go", "rt.go", "selector.go", "strata.go", "strata_atomic.go", "strata_expr.go", "stream.go", "symbol.go", "symbol_other.go", "text.go", "tick_none.go"}
	mapped := append([]string{"mappings.go", "audit_mapped.go", "blocks.go", "store_mapped.go", "stream_mapped.go", "sys_linux.go", "sys_std_linux.go", "tests_mapped.go"}, common...)
	other := append([]string{"audit_other.go", "hook_std.go", "store_other.go", "stream_other.go"}, common...)
	for _, test := range []struct {
		goos, goarch string
		want         []string
	}{
		{"linux", "amd64", append([]string{"arch_linux_amd64.go"}, mapped...)},
		{"linux", "arm64", append([]string{"arch_linux_generic.go"}, mapped...)},
		{"linux", "386", other},
		{"darwin", "arm64", other},
		{"windows", "amd64", other},
	} {
		files, err := rt.Source(test.goos, test.goarch)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"goprofinstr/sampler/doc.go", "goprofinstr/sampler/governor.go", "goprofinstr/sampler/pcct/age.go", "goprofinstr/sampler/pcct/doc.go", "goprofinstr/sampler/pcct/purge.go", "goprofinstr/sampler/pcct/stack.go", "goprofinstr/sampler/pcct/tree.go", "goprofinstr/sampler/policy.go", "goprofinstr/sampler/stream/block.go", "goprofinstr/sampler/stream/counter.go", "goprofinstr/sampler/stream/doc.go", "goprofinstr/sampler/stream/hash.go", "goprofinstr/sampler/stream/periodic.go", "goprofinstr/sampler/stream/random.go", "goprofinstr/sampler/stream/spec.go", "goprofinstr/sampler/stream/split.go", "goprofinstr/sampler/stream/stream.go", "goprofinstr/sampler/stream/table.go", "goprofinstr/sampler/stream/tagged.go", "goprofinstr/sampler/weight.go", "goprofinstr/sampler/window.go"}
		for _, name := range test.want {
			want = append(want, "goprofinstr/rt/"+name)
		}
		slices.Sort(want)
		if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
			t.Errorf("%s/%s:\n got %v\nwant %v", test.goos, test.goarch, got, want)
		}
		for name, text := range files {
			if bytes.Contains(text, []byte("//go:build")) {
				t.Errorf("%s keeps its constraint", name)
			}
		}
	}
}
