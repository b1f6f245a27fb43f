//go:build linux

package guest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// modules are what the serial line needs, in the order in which they need each other.
var modules = []string{
	"virtio/virtio_ring.ko", "virtio/virtio.ko", "virtio/virtio_pci_legacy_dev.ko", "virtio/virtio_pci_modern_dev.ko",
	"virtio/virtio_pci.ko", "char/virtio_console.ko",
}

// writeInitramfs writes the files that a machine begins with: agent, and modules of its kernel.
func writeInitramfs(kernel, work, to string) error {
	agent := filepath.Join(work, "agent")
	cmd := exec.Command("go", "build", "-o", agent, "github.com/goprofinstr/goprofinstr/integration/internal/guest/agent")
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("agent: %w\n%s", err, out)
	}
	var a archive
	a.add("modules", 0o40755, nil)
	names := map[string]string{"init": agent}
	for k, m := range modules {
		found, err := filepath.Glob(filepath.Join(kernel, "lib", "modules", "*", "kernel", "drivers", filepath.FromSlash(m)))
		if err != nil || len(found) != 1 {
			return fmt.Errorf("%s has %d modules %s, and not one", kernel, len(found), m)
		}
		names[fmt.Sprintf("modules/%d.ko", k)] = found[0]
	}
	for name, from := range names {
		data, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		a.add(name, 0o100755, data)
	}
	a.add("TRAILER!!!", 0, nil)
	return os.WriteFile(to, a.Bytes(), 0o666)
}

// An archive is what cpio(1) calls newc.
type archive struct {
	bytes.Buffer
	files int
}

func (a *archive) add(name string, mode int, data []byte) {
	a.files++
	const link, none = 1, 0
	fmt.Fprint(a, "070701")
	for _, v := range []int{a.files, mode, none, none, link, none, len(data), none, none, none, none, len(name) + 1, none} {
		fmt.Fprintf(a, "%08x", v)
	}
	a.WriteString(name + "\x00")
	a.pad()
	a.Write(data)
	a.pad()
}

func (a *archive) pad() { a.Write(make([]byte, -a.Len()&3)) }
