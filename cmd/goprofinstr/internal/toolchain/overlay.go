package toolchain

import (
	"fmt"
	"path/filepath"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

// UserOverlay reads the overlay that the command line names; it is nil if there is none. The flag stays.
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
