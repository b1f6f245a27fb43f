package gitdiff

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/stale"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// SinceProfile returns the lines that have changed since a revision in the module of p, the profile in dir, as Changed
// does. It is an error if one of the files is not what it was when the program was built, for then its lines are
// others.
func SinceProfile(dir string, p *profile.Profile, rev string) (map[string]map[int]bool, error) {
	if p.Root == "" {
		return nil, fmt.Errorf("%s does not say which module it is of, and it is not the one here: "+
			"-src DIR names the module's folder", dir)
	}
	if _, err := os.Stat(p.Root); err != nil {
		return nil, fmt.Errorf("the module is not where it was: %w", err)
	}
	lines, err := changedBelow(p.Root, rev)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		changed, err := stale.Is(p, name)
		switch {
		case err != nil:
			return nil, err
		case changed && p.Built:
			return nil, fmt.Errorf("%s is not what it was when the program of %s was built: "+
				"-src DIR takes the sources of the build's commit", name, dir)
		case changed:
			return nil, fmt.Errorf("%s is not what it was when %s was made: run goprofinstr wrap again", name, dir)
		}
	}
	return lines, nil
}

// changedBelow is Changed, also for a workspace that is in no repository and has modules that are: then it is about the
// repository in which the command runs.
func changedBelow(root, rev string) (map[string]map[int]bool, error) {
	lines, err := Changed(root, rev)
	if _, outside := git(root, "rev-parse", "--show-prefix"); outside == nil {
		return lines, err
	}
	top, outside := git(".", "rev-parse", "--show-toplevel")
	rel, elsewhere := filepath.Rel(root, strings.TrimSpace(string(top)))
	if outside != nil || elsewhere != nil || !filepath.IsLocal(rel) {
		return lines, err
	}
	if lines, err = Changed(filepath.Join(root, rel), rev); err != nil {
		return nil, err
	}
	all := make(map[string]map[int]bool)
	for name, changed := range lines {
		all[path.Join(filepath.ToSlash(rel), name)] = changed
	}
	return all, nil
}
