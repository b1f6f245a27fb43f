package toolchain

import (
	"fmt"
	"path/filepath"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

// UserOverlay reads the overlay on the command line and takes its flag off.
func UserOverlay(c *gocmd.Command) (*target.Overlay, error) {
	name, ok := c.Lookup("overlay")
	if !ok {
		return nil, nil
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(c.Dir, name)
	}
	user, err := target.ReadOverlay(name, c.Dir)
	if err != nil {
		return nil, fmt.Errorf("-overlay: %v", err)
	}
	return user, nil
}
