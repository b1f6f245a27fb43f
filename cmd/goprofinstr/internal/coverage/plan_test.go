package coverage

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

func TestTestBinary(t *testing.T) {
	for path, want := range map[string]string{
		"example.com/m":          "m.test",
		"example.com/m/v2":       "m.test",
		"example.com/m/v1":       "v1.test",
		"example.com/m/v02":      "v02.test",
		"v2":                     "v2.test",
		"command-line-arguments": "name.test",
	} {
		if got := testBinary(&listedPackage{ImportPath: path, Name: "name"}); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// TestTestBinaryNames holds the names against those that the go command says it would give.
func TestTestBinaryNames(t *testing.T) {
	for _, module := range []string{"example.com/m", "example.com/m/v2", "example.com/m/v10", "example.com/m/v02"} {
		dir := t.TempDir()
		for name, text := range map[string]string{"go.mod": "module " + module + "\n", "p_test.go": "package name\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		for pkg, argument := range map[string]string{module: ".", "command-line-arguments": "p_test.go"} {
			cmd := exec.Command("go", "test", "-n", "-c", argument)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			name := testBinary(&listedPackage{ImportPath: pkg, Name: "name"})
			if !regexp.MustCompile(`(?m)^mv .*/` + regexp.QuoteMeta(name) + `(\.exe)?$`).Match(out) {
				t.Errorf("%s: no test binary %s in:\n%s", pkg, name, out)
			}
		}
	}
}
