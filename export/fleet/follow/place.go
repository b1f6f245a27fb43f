package follow

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// mostAway is how long a directory may be away before the files in it are taken for removed: unmounted for a check of the file
// system, or renamed by somebody who puts it back. Until then what is known of its runs takes room.
const mostAway = 10 * time.Minute

// Gone reports whether there is no file of a run any more. If its directory is away or is another one now, the file may come
// back.
func (f *Follower) Gone(r *Run) bool {
	if !gone(r.name) {
		return false
	}
	if now, err := os.Stat(root(r.name)); err == nil && os.SameFile(now, r.root) {
		return true
	}
	if r.away.IsZero() {
		r.away = f.options.Now()
	}
	return f.options.Now().Sub(r.away) >= mostAway
}

// gone reports whether there is no file of a run, given one of its names. While a wrap ends, a file has none for a moment under
// which it is followed.
func gone(name string) bool { return !slices.ContainsFunc(profiledir.Places(name), isThere) }

func isThere(name string) bool {
	_, err := os.Lstat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

// root returns the profile directory of a run file.
func root(name string) string {
	places := profiledir.Places(name)
	return filepath.Dir(places[len(places)-1])
}

// earlier returns the run that was read before from another file, of which a new one is a copy, or nil. Where files have one name
// only, a wrap that ends copies them, and a file system that was mounted anew may tell its files by other numbers. before is the
// run that had the name of the new one, or nil.
func (f *Follower) earlier(r, before *Run) *Run {
	candidates := []*Run{before}
	for _, name := range profiledir.Places(r.name) {
		if known := f.runs[name]; !isThere(name) {
			candidates = append(candidates, known)
		}
	}
	for _, known := range candidates {
		if known != nil && known != r && known.Now != nil && known.Pid == r.Pid && known.Start.Equal(r.Start) {
			return known
		}
	}
	return nil
}

// goOn has a run that was read for the first time be an earlier one, whose deltas it goes on with.
func (f *Follower) goOn(r, earlier *Run) *Run {
	f.close(earlier)
	if f.runs[earlier.name] == earlier {
		delete(f.runs, earlier.name)
	}
	r.carry, r.times = earlier.carry, earlier.times
	*earlier = *r
	f.runs[r.name] = earlier
	return earlier
}
