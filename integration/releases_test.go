package integration

import (
	"errors"
	"fmt"
	"os/exec"
	"testing"

	"github.com/goprofinstr/goprofinstr/integration/internal/fetch"
	"github.com/goprofinstr/goprofinstr/internal/longtest"
)

// releases are modules in two versions. Tests of the older one make calls: least is how much of them is found in the
// newer one at least, in percent by weight. Tests of gopher-lua do not make the same calls each time: 95.66 to 96.47% was seen.
var releases = []struct {
	module, older, newer string
	least                float64
	skip                 string // tests that make more calls the faster the machine is
}{
	{"github.com/BurntSushi/toml", "v1.3.2", "v1.5.0", 87.3, ""},
	{"github.com/yuin/gopher-lua", "v1.1.0", "v1.1.2", 95.5, "Context"},
	{"github.com/yuin/goldmark", "v1.7.4", "v1.8.7", 99.9, ""},
	{"github.com/tidwall/gjson", "v1.14.4", "v1.18.0", 99.99, ""},
}

// TestReleases makes profiles for the compiler of the counts of one version for the sources of another.
func TestReleases(t *testing.T) {
	longtest.Skip(t)
	for _, m := range releases {
		t.Run(m.module, func(t *testing.T) {
			older, newer := fetch.ForTest(t, m.module, m.older), fetch.ForTest(t, m.module, m.newer)
			wrap := exec.Command(goprofinstr, "wrap", "-o", "out", "go", "test", "-skip", m.skip, "./...")
			wrap.Dir = older
			// Some tests of old versions fail with newer releases of Go, or where it takes long. Others count all the same.
			var failed *exec.ExitError
			if out, err := wrap.CombinedOutput(); err != nil && !errors.As(err, &failed) {
				t.Fatalf("%v: %s", err, out)
			}
			_, said := run(t, older, goprofinstr, "pgo", "-o", "x.pgo", "-src", newer, "-min-found", fmt.Sprint(m.least), "out")
			t.Logf("%s to %s: %s", m.older, m.newer, said)
		})
	}
}
