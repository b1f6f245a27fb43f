package follow

import (
	"os"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// mostKept is how many files of runs that are watched stay open. A process may have some thousand files open at least.
const mostKept = 500

// keepOpen closes a file of a run that was read. If the run is watched and goes on, the file stays open.
func (f *Follower) keepOpen(r *Run, file *os.File) {
	_, known := rundata.Locked(file)
	switch {
	case r.Ended || r.Err != nil:
		f.close(r)
	case r.file == nil && r.Now != nil && known && f.how == watching && f.kept < mostKept:
		r.file = file
		f.kept++
		return
	}
	file.Close()
}

// close closes the file of a run if it is open.
func (f *Follower) close(r *Run) {
	if r.file != nil {
		r.file.Close()
		r.file = nil
		f.kept--
	}
}

// goesOn reports whether a name is that of the run's open file still, and the run's process lives.
func (r *Run) goesOn(name string) bool {
	info, err := os.Lstat(name)
	alive, _ := rundata.Locked(r.file)
	return err == nil && os.SameFile(r.info, info) && alive
}

// pollKept polls a run whose file was removed and is open. It reports whether there is something new.
func (f *Follower) pollKept(r *Run) (changed bool) {
	if alive, _ := rundata.Locked(r.file); alive && f.how == watching {
		return false
	}
	info, err := r.file.Stat()
	if err != nil {
		f.close(r)
		return false
	}
	changed = f.poll(r, r.file, info)
	if r.Ended || r.Err != nil {
		f.close(r)
	}
	return changed
}
