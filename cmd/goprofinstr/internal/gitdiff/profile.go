package gitdiff

import (
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/stale"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// SinceProfile returns the lines that have changed since a revision in the module of the profile in dir, as Changed
// does. It is an error if one of the files is not what it was when the profile was made, for then its lines are
// others.
func SinceProfile(dir, rev string) (map[string]map[int]bool, error) {
	m, err := profiledir.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	if m == nil || m.Root == "" {
		return nil, fmt.Errorf("%s does not say which module it is of; want the output directory of goprofinstr wrap", dir)
	}
	if _, err := os.Stat(m.Root); err != nil {
		return nil, fmt.Errorf("the module is not where it was: %w", err)
	}
	lines, err := Changed(m.Root, rev)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		changed, err := stale.Is(m, name)
		if err != nil {
			return nil, err
		}
		if changed {
			return nil, fmt.Errorf("%s is not what it was when %s was made: run goprofinstr wrap again", name, dir)
		}
	}
	return lines, nil
}
