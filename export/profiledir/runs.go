package profiledir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// ErrNoRuns is wrapped by the error of [Runs] for a directory without run data.
var ErrNoRuns = errors.New("no run data")

// Runs returns the paths of the run files in dir, sorted. There may be none if there is a manifest; where there is
// neither, the error says what else the directory is.
func Runs(dir string) ([]string, error) {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; want the output directory of goprofinstr wrap", err)
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s: not a directory; want the output directory of goprofinstr wrap", dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	names := runsOf(dir, entries)
	switch {
	case len(names) > 0 || slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == ManifestName }):
		return names, nil
	case len(entries) == 0:
		return nil, fmt.Errorf("%s: %w: the directory is empty", dir, ErrNoRuns)
	case slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == runningDir }):
		return nil, fmt.Errorf("%s: %w: the first wrap has not ended, or was killed; what it has counted is in %s",
			dir, ErrNoRuns, filepath.Join(dir, runningDir))
	default:
		return nil, fmt.Errorf("%s: %w (%s): not a profile directory, or no instrumented program has written to it",
			dir, ErrNoRuns, runFiles)
	}
}
