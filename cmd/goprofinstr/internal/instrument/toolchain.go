package instrument

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
)

// minGo is the oldest release whose standard library has all that the runtime
// imports (internal/runtime/syscall/linux is the newest of it).
const minGo = "go1.26"

// Toolchain is the Go toolchain behind a go command, from `go env`.
type Toolchain struct {
	GOROOT, GOVERSION, GOOS, GOARCH, GOMODCACHE, GOFLAGS, GOMOD, GOWORK string
}

// FindToolchain asks the go command of c which toolchain it uses where it runs.
func FindToolchain(c *gocmd.Command) (*Toolchain, error) {
	cmd := exec.Command(c.Go, "env", "-json", "GOROOT", "GOVERSION", "GOOS", "GOARCH", "GOMODCACHE", "GOFLAGS", "GOMOD", "GOWORK")
	cmd.Dir = c.Dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	data, err := cmd.Output()
	if err != nil {
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("cannot run %s: %v", c.Go, err)
		}
		return nil, fmt.Errorf("%s env: %v: %s", c.Go, err, firstLine(stderr.String()))
	}
	tc := new(Toolchain)
	if err := json.Unmarshal(data, tc); err != nil {
		return nil, fmt.Errorf("%s env: %v", c.Go, err)
	}
	// A development version is not valid here, and is new enough.
	if version.IsValid(tc.GOVERSION) && version.Compare(tc.GOVERSION, minGo) < 0 {
		return nil, fmt.Errorf("%s is %s; goprofinstr needs %s or newer", c.Go, tc.GOVERSION, minGo)
	}
	return tc, nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
