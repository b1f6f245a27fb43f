package derive

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestIntrinsics holds the list against the one that the toolchain's own test has.
func TestIntrinsics(t *testing.T) {
	src, err := os.ReadFile(filepath.Join(runtime.GOROOT(), "src/cmd/compile/internal/ssagen/intrinsics_test.go"))
	if err != nil {
		t.Skip(err)
	}
	got := make(map[string][]string)
	for arch := range intrinsicsOf {
		for _, of := range []map[string]string{intrinsics, intrinsicsOf[arch]} {
			for path, names := range of {
				for _, name := range strings.Fields(names) {
					got[arch] = append(got[arch], path+"."+name)
				}
			}
		}
	}
	want := make(map[string][]string)
	for _, m := range regexp.MustCompile(`\{"(amd64|arm64)", "([^"]+)", "([^"]+)"\}:`).FindAllStringSubmatch(string(src), -1) {
		if path := m[2]; path != "runtime" && !strings.HasPrefix(path, "internal/runtime/") && !strings.HasPrefix(path, "simd") {
			want[m[1]] = append(want[m[1]], path+"."+m[3])
		}
	}
	for arch := range intrinsicsOf {
		slices.Sort(got[arch])
		slices.Sort(want[arch])
		if !slices.Equal(got[arch], want[arch]) || len(want[arch]) < 70 {
			t.Errorf("%s: we have\n%v\nand the toolchain\n%v", arch, got[arch], want[arch])
		}
		for _, name := range want[arch] {
			if !isIntrinsic(arch, name) {
				t.Errorf("%s: %s is not known", arch, name)
			}
		}
	}
	for name, is := range map[string]bool{"math/big.mulWW": true, "math/big.mul": false, "math.Abs": false, "WW": false} {
		if isIntrinsic("amd64", name) != is {
			t.Errorf("%s: %v", name, !is)
		}
	}
}
