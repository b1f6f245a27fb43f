package profiledir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/lockedfile"
)

// put writes files with their own names, and a word, as contents.
func put(t *testing.T, dir, word string, names ...string) {
	t.Helper()
	for _, name := range names {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(word), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// contents returns the files below dir with their contents.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		all[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var oldFiles = []string{"goprofinstr.json", "tables/0000.gptab", "tables/0001.gptab", "run.1.1.gpi", "paths.pb.gz"}
var newFiles = []string{"goprofinstr.json", "tables/0000.gptab", "run.2.2.gpi", "run.3.3.gpi", "paths.pb.gz"}

// TestSettle kills a wrap at every moment of putting its profile in place. Readers have the new profile at each,
// and the next wrap ends it.
func TestSettle(t *testing.T) {
	want := map[string]string{"mine": "mine"}
	for _, name := range newFiles {
		want[name] = "new"
	}
	for removed := range len(oldFiles) + 1 {
		for linked := range len(newFiles) + 1 {
			if linked > 0 && removed < len(oldFiles) {
				continue // nothing is linked before all old files are gone
			}
			d := &Dir{Path: t.TempDir()}
			put(t, d.Path, "mine", "mine")
			put(t, d.Path, "old", oldFiles[removed:]...)
			put(t, d.Path, "new", newFiles[:linked]...)
			put(t, d.whole(), "new", newFiles...)
			if got := Current(d.Path); got != d.whole() {
				t.Errorf("%d removed, %d linked: readers are given %s", removed, linked, got)
			}
			if err := d.settle(); err != nil {
				t.Errorf("%d removed, %d linked: %v", removed, linked, err)
			}
			if diff := cmp.Diff(want, contents(t, d.Path)); diff != "" {
				t.Errorf("%d removed, %d linked (-want +got):\n%s", removed, linked, diff)
			}
		}
	}
}

// TestStages goes through a wrap that is whole, one that is discarded, and one that was killed before.
func TestStages(t *testing.T) {
	d, err := CheckDir(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Lock(nil); err != nil {
		t.Fatal(err)
	}
	if err := d.Start(Manifest{Mode: "exact"}, [][]byte{[]byte("table")}); err != nil {
		t.Fatal(err)
	}
	if d.HasProfile() {
		t.Error("there is a profile before the first is whole")
	}
	put(t, d.Running(), "first", "run.1.1.gpi")
	if err := d.Amend(func(m *Manifest) { m.NotRun = []string{"a", "b"} }); err != nil {
		t.Fatal(err)
	}
	if err := d.Commit(); err != nil {
		t.Fatal(err)
	}
	m, err := ReadManifest(d.Path)
	if err != nil || m.Mode != "exact" || len(m.NotRun) != 2 || !d.HasProfile() {
		t.Fatalf("manifest %+v, %v", m, err)
	}
	first := contents(t, d.Path)
	delete(first, lockFile)

	if err := d.Start(Manifest{Mode: "sampled"}, nil); err != nil {
		t.Fatal(err)
	}
	put(t, d.Running(), "second", "run.2.2.gpi")
	if err := d.Start(Manifest{Mode: "stratified"}, nil); err != nil { // as if the second had been killed
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(d.Running(), "run.2.2.gpi")); err == nil {
		t.Error("runs of a wrap that was killed are left to the next")
	}
	if err := d.Discard(); err != nil {
		t.Fatal(err)
	}
	d.Unlock()
	if diff := cmp.Diff(first, contents(t, d.Path)); diff != "" {
		t.Errorf("after two that failed (-want +got):\n%s", diff)
	}
}

// TestCheckDirStages accepts directories that the first wrap is writing to, or was killed in.
func TestCheckDirStages(t *testing.T) {
	for _, test := range []struct {
		names []string
		ok    bool
	}{
		{nil, true},
		{[]string{lockFile}, true},
		{[]string{lockFile, runningDir + "/" + ManifestName}, true},
		{[]string{wholeDir + "/" + ManifestName, "run.1.1.gpi"}, true},
		{[]string{ManifestName, "mine"}, true},
		{[]string{runningDir + "/x", "mine"}, false},
		{[]string{"mine"}, false},
		{[]string{lockFile, runningDir + "/" + ManifestName, runningDir + "/x"}, true},
		{[]string{lockFile, runningDir + "/" + ignoreFile, runningDir + "/" + TablesName + "/0000.gptab"}, true}, // killed in Start
		{[]string{ManifestName, runningDir + "/run.1.1.gpi", runningDir + "/" + PathsPprof}, true},               // killed in settle
		{[]string{lockFile, mergingDir + "/" + Unnamed("0"), mergingDir + "/run.1.1.gpi"}, true},                 // killed in Replace
		{[]string{ManifestName, mergingDir + "/main.go"}, false},
		{[]string{runningDir + "/main.go"}, false},
		{[]string{ManifestName, runningDir + "/run.1.1.gpi", runningDir + "/main.go"}, false},
		{[]string{runningDir}, false},
		{[]string{wholeDir + "/x"}, false},
		{[]string{ManifestName, wholeDir + "/run.1.1.gpi"}, false},
		{[]string{ManifestName, wholeDir}, false},
	} {
		dir := t.TempDir()
		put(t, dir, "", test.names...)
		if _, err := CheckDir(dir); (err == nil) != test.ok {
			t.Errorf("%q: error %v", test.names, err)
		}
	}
}

// TestStageMoved has another wrap rename the folder of its whole profile while that is looked at: it is no folder of others.
func TestStageMoved(t *testing.T) {
	d := &Dir{Path: t.TempDir()}
	put(t, d.Path, "", wholeDir+"/"+ManifestName)
	for range 100 {
		moved := make(chan error, 1)
		go func() { moved <- os.Rename(d.whole(), d.Running()) }()
		for len(moved) == 0 {
			if !isStage(d.whole()) {
				t.Fatal("a folder that is gone is said to be of others")
			}
		}
		if err := errors.Join(<-moved, os.Rename(d.Running(), d.whole())); err != nil {
			t.Skip(err) // as on Windows, in the moment in which the manifest is looked at
		}
	}
}

// TestLock makes sure that a lock keeps others out until it is dropped, names its holder, and leaves nothing.
func TestLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out")
	first, second := &Dir{Path: name}, &Dir{Path: name}
	if err := first.Lock(func(Holder) error { t.Error("busy"); return nil }); err != nil {
		t.Fatal(err)
	}
	told := false
	err := second.Lock(func(h Holder) error {
		told = true
		if h.Pid != os.Getpid() && runtime.GOOS != "windows" { // where locked files cannot be read
			t.Errorf("holder is %v", h)
		}
		first.Unlock() // takes the directory with it, since nothing is in it
		return nil
	})
	if err != nil || !told {
		t.Fatalf("error %v, told %v", err, told)
	}
	if _, err := os.Stat(filepath.Join(name, lockFile)); err != nil {
		t.Error(err)
	}
	second.Unlock()
	if _, err := os.Stat(name); err == nil {
		t.Error("the directory is left")
	}
}

// TestUnsigned has a lock file that nothing can be written to, as on a full disk. Hold has the lock all the same, and Lock
// has not.
func TestUnsigned(t *testing.T) {
	d := &Dir{Path: t.TempDir()}
	full := func() {
		if err := os.Symlink("/dev/full", filepath.Join(d.Path, lockFile)); err != nil {
			t.Skip(err)
		}
	}
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip(err)
	}
	full()
	if err := d.Lock(nil); err == nil || d.lock != nil {
		t.Errorf("locked: %t, %v", d.lock != nil, err)
	}
	full()
	if unsigned, err := d.Hold(nil); unsigned == nil || err != nil || d.lock == nil {
		t.Errorf("held: %t, %v, %v", d.lock != nil, unsigned, err)
	}
	d.Unlock()
}

// TestNoLocks tells file systems without locks from other trouble.
func TestNoLocks(t *testing.T) {
	for err, want := range map[error]bool{
		syscall.ENOLCK: true, errors.ErrUnsupported: true, os.ErrPermission: false, os.ErrNotExist: false, nil: false,
	} {
		if err != nil {
			err = fmt.Errorf("the directory cannot be locked: %w", &os.PathError{Op: "Lock", Path: "goprofinstr.lock", Err: err})
		}
		if NoLocks(err) != want {
			t.Errorf("%v: want %t", err, want)
		}
	}
}

// TestLockGivenUp gives up a lock that another process has, which is killed then: the lock is free.
func TestLockGivenUp(t *testing.T) {
	d := &Dir{Path: t.TempDir()}
	killed, err := lockedfile.Edit(filepath.Join(d.Path, lockFile))
	if err != nil {
		t.Fatal(err)
	}
	errBusy := errors.New("busy")
	if err := d.Lock(func(Holder) error { return errBusy }); !errors.Is(err, errBusy) {
		t.Fatal(err)
	}
	killed.Close()
	if err := d.Lock(func(Holder) error { return nil }); err != nil {
		t.Fatal(err)
	}
	d.Unlock()
}

// TestReplaceFails has an error while a folder is filled: what was in the directory stays, and nothing is left of a new one.
func TestReplaceFails(t *testing.T) {
	d := &Dir{Path: filepath.Join(t.TempDir(), "out")}
	fail := func(filled *Dir) error {
		put(t, filled.Path, "new", newFiles...)
		return os.ErrInvalid
	}
	if err := d.Replace(fail); !errors.Is(err, os.ErrInvalid) || exists(d.Path) {
		t.Errorf("a new directory: error %v, it is left: %t", err, exists(d.Path))
	}
	put(t, d.Path, "old", oldFiles...)
	put(t, d.Path, "mine", "mine", "other/mine")
	want := contents(t, d.Path)
	if err := d.Replace(fail); !errors.Is(err, os.ErrInvalid) {
		t.Error(err)
	}
	if diff := cmp.Diff(want, contents(t, d.Path)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestReplaceRunning merges what an interrupted wrap has left in the same directory. It stays.
func TestReplaceRunning(t *testing.T) {
	d := &Dir{Path: filepath.Join(t.TempDir(), "out")}
	put(t, d.Path, "old", oldFiles...)
	put(t, d.Running(), "interrupted", newFiles...)
	want := contents(t, d.Running())
	fill := func(filled *Dir) error {
		if diff := cmp.Diff(want, contents(t, d.Running())); diff != "" {
			t.Errorf("while the new one is filled (-want +got):\n%s", diff)
		}
		put(t, filled.Path, "new", newFiles...)
		return nil
	}
	if err := d.Replace(fill); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, contents(t, d.Running())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := contents(t, d.Path)[newFiles[0]]; got != "new" {
		t.Errorf("%s: %q", newFiles[0], got)
	}
}

// TestReplaceElsewhere replaces the profile in a directory that a symbolic link leads to, on another file system if there is one.
func TestReplaceElsewhere(t *testing.T) {
	folders := []string{t.TempDir()}
	if dir, err := os.MkdirTemp("/dev/shm", ""); err == nil {
		t.Cleanup(func() { os.RemoveAll(dir) })
		folders = append(folders, dir)
	}
	for i, folder := range folders {
		d := &Dir{Path: filepath.Join(t.TempDir(), "out")}
		if err := os.Symlink(folder, d.Path); err != nil {
			t.Skip(err) // as on Windows, for most users
		}
		put(t, folder, "old", oldFiles...)
		put(t, folder, "mine", "mine", lockFile)
		for round := range 2 {
			if err := d.Replace(func(filled *Dir) error { put(t, filled.Path, "new", newFiles...); return nil }); err != nil {
				t.Errorf("folder %d, round %d: %v", i, round, err)
			}
			want := map[string]string{"mine": "mine", lockFile: "mine"}
			for _, name := range newFiles {
				want[name] = "new"
			}
			if diff := cmp.Diff(want, contents(t, folder)); diff != "" {
				t.Errorf("folder %d, round %d (-want +got):\n%s", i, round, diff)
			}
		}
		if info, err := os.Lstat(d.Path); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("folder %d: the link is gone: %v", i, err)
		}
	}
}

// TestLockSlow has a lock that is held for a moment, in a file that nobody has signed, or a process that was killed. It is like
// a slow machine, which takes that long to lock the file: the user is not told of another process.
func TestLockSlow(t *testing.T) {
	for _, signature := range []string{"", "999999999 1 goprofinstr wrap go test\n"} {
		d := &Dir{Path: t.TempDir()}
		f, err := lockedfile.Edit(filepath.Join(d.Path, lockFile))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(signature); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(2*patience, func() { f.Close() })
		if err := d.Lock(func(h Holder) error { t.Errorf("told of %v", h); return nil }); err != nil {
			t.Fatal(err)
		}
		d.Unlock()
	}
}

// TestIgnore has git ignore a directory, unless its owner has decided otherwise, who keeps the file.
func TestIgnore(t *testing.T) {
	d := &Dir{Path: t.TempDir()}
	commit := func() {
		t.Helper()
		if err := d.Start(Manifest{Mode: "exact"}, nil); err != nil {
			t.Fatal(err)
		}
		if err := d.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	commit()
	const ours = "# made by goprofinstr; what is here is data of a run\n*\n"
	if got := contents(t, d.Path)[".gitignore"]; got != ours {
		t.Errorf("after the first wrap: %q", got)
	}
	commit() // over that of the first
	put(t, d.Path, "mine", ".gitignore")
	commit()
	fill := func(filled *Dir) error { return filled.WriteBuild(Manifest{Mode: "exact"}, nil) }
	if err := d.Replace(fill); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, d.Path)[".gitignore"]; got != "mine" {
		t.Errorf("the owner's file is %q", got)
	}
	d = &Dir{Path: filepath.Join(t.TempDir(), "merged")}
	if err := d.Replace(fill); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, d.Path)[".gitignore"]; got != ours {
		t.Errorf("after a merge: %q", got)
	}
}

func TestPlaces(t *testing.T) {
	dir := filepath.Join("a", "b")
	want := []string{filepath.Join(dir, runningDir, "run"), filepath.Join(dir, wholeDir, "run"), filepath.Join(dir, "run")}
	for _, name := range want {
		if diff := cmp.Diff(want, Places(name)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
