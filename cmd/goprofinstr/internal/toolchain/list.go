package toolchain

import (
	"go/version"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

// ListConfig returns how the packages that c builds are listed, and what keeps listings. With an overlay of the user's none is
// kept.
func (tc *Toolchain) ListConfig(c *gocmd.Command, user *target.Overlay, keeper load.Keeper) load.Config {
	buildFlags, env := tc.LoadFlags(c)
	if user != nil {
		keeper = nil
	}
	return load.Config{
		Dir:        c.Dir,
		BuildFlags: buildFlags,
		Env:        env,
		Patterns:   c.Packages,
		Tests:      c.Verb == "test",
		Workspace:  tc.Workspace(),
		ModCache:   tc.GOMODCACHE,
		Settled:    tc.settled(user),
		Keeper:     keeper,
		Described:  tc.Described(),
		Written:    profiledir.Is,
		Source:     user.Source,
		Hold:       tc.Helpers.Hold,
		Temp:       tc.temp(),
	}
}

// settled returns the folders of files that nobody edits: those of a release of Go, and of modules
// in the module cache. With an overlay of the user's they are no more than others.
func (tc *Toolchain) settled(user *target.Overlay) []string {
	if user != nil {
		return nil
	}
	var dirs []string
	if tc.GOMODCACHE != "" {
		dirs = append(dirs, tc.GOMODCACHE)
	}
	if version.IsValid(tc.GOVERSION) && !tc.InStd() {
		dirs = append(dirs, tc.GOROOT)
	}
	return dirs
}
