package mergebase

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/cache"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/results"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// A store keeps the profile of a commit in the user's cache folder:
//
//	bases/KEY          the profile, by all that it depends on
//	bases/KEY.new      one that is being made
//	bases/once-*/      one of tests that fail, for one process
//	bases/KEY.log      what the go command says when that fails
//	bases/REPOSITORY/  the worktree while there is one, with a lock
//
// The worktree of a repository is in the same folder each time. The go command takes packages from its cache only if their
// folder is the same, too, so those that no commit has changed are compiled once.
type store struct {
	dir                 string // bases
	profile, fresh, log string
	tree                string
	locked              *profiledir.Dir
}

// What is kept of profiles: a pull request lives for weeks, and of each there are a few bases. No check takes a day: the
// profile for one process that is older was left by a process that was ended.
const (
	keepFor  = 30 * 24 * time.Hour
	mostKept = 20
	onceFor  = 24 * time.Hour
)

// once begins the names of profiles for one process.
const once = "once-"

// newStore returns where the profile of a base is kept that is made as r says.
func newStore(b *Base, r *recording) (*store, error) {
	tc, err := toolchain.Find(&gocmd.Command{Go: r.cmd.Go, Verb: "test", Dir: b.root})
	if err != nil {
		return nil, err
	}
	results := results.Open(tc)
	if results.Dir() == "" {
		return nil, errors.New("there is no cache folder for the profile of the merge base; XDG_CACHE_HOME or HOME names one")
	}
	common, err := git(b.root, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return nil, err
	}
	h := results.Hash("base")
	h.Add(b.Commit, b.prefix, r.dir, os.Getenv("GOFLAGS"), os.Getenv("GOEXPERIMENT"), os.Getenv("CGO_ENABLED"), runtime.GOOS)
	h.Add(r.flags...)
	h.Add("--")
	h.Add(r.words()...)
	s := &store{dir: filepath.Join(results.Dir(), "bases")}
	key := h.Key()
	s.profile = filepath.Join(s.dir, hex.EncodeToString(key[:12]))
	s.fresh, s.log = s.profile+".new", s.profile+".log"
	repository := cache.NewHash("repository")
	repository.Add(common, b.prefix)
	key = repository.Key()
	s.locked = &profiledir.Dir{Path: filepath.Join(s.dir, "repository-"+hex.EncodeToString(key[:8]))}
	s.tree = filepath.Join(s.locked.Path, "tree")
	return s, nil
}

// has reports whether the profile is there, and notes that it is used.
func (s *store) has() bool {
	if !profiledir.Is(s.profile) {
		return false
	}
	now := time.Now()
	os.Chtimes(s.profile, now, now)
	return true
}

// lock waits until no other process makes profiles of this repository's commits.
func (s *store) lock() error {
	return s.locked.Lock(func(h profiledir.Holder) error {
		if h.RunsThis() {
			return fmt.Errorf("check -base runs in a test of a check -base of the same repository, %v", h)
		}
		fmt.Fprintf(os.Stderr, "goprofinstr: waiting for %v, which makes the profile of a merge base\n", h)
		return nil
	})
}

func (s *store) unlock() {
	s.locked.Unlock()
	os.Remove(s.locked.Path) // if nothing is in it; one that a killed process has left stays otherwise
}

// run runs the go command of r under wrap in a folder, for a new profile, and returns its exit code.
func (s *store) run(r *recording, dir string, b *Base, signals *signals) (exit int, err error) {
	if err := os.RemoveAll(s.fresh); err != nil {
		return 0, err
	}
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	if _, err := os.Stat(dir); err != nil {
		return 0, fmt.Errorf("%.12s has no folder %s, in which %s ran", b.Commit, filepath.ToSlash(filepath.Join(b.prefix, r.dir)), r)
	}
	log, err := os.Create(s.log)
	if err != nil {
		return 0, err
	}
	defer log.Close()
	cmd := exec.Command(self, slices.Concat([]string{"wrap"}, r.flags, []string{"-o", s.fresh}, r.words())...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(environ(), b.workspace(s.tree)...), log, log
	err = signals.run(cmd)
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return failed.ExitCode(), nil
	}
	return 0, err
}

// workspace returns what the environment of the go command needs for the base's own go.work, if the variable names one of
// the repository.
func (b *Base) workspace(tree string) []string {
	work := os.Getenv("GOWORK")
	top, err := git(b.root, "rev-parse", "--show-toplevel")
	if err != nil || !filepath.IsAbs(work) {
		return nil
	}
	rel, err := filepath.Rel(top, work)
	if err != nil || !filepath.IsLocal(rel) {
		return nil
	}
	return []string{"GOWORK=" + filepath.Join(tree, rel)}
}

// settle puts a new profile in its place.
func (s *store) settle() error {
	os.Remove(s.log)
	if err := os.Rename(s.fresh, s.profile); err != nil {
		return err
	}
	s.trim()
	return nil
}

// once has a new profile be there for this process only. Another one may make its own as soon as the store is not locked.
func (s *store) once(warning string) (*Kept, error) {
	dir, err := os.MkdirTemp(s.dir, once)
	if err != nil {
		return nil, err
	}
	k := &Kept{Dir: filepath.Join(dir, "profile"), Warning: warning, remove: dir}
	if err := os.Rename(s.fresh, k.Dir); err != nil {
		k.Done()
		return nil, err
	}
	s.trim()
	return k, nil
}

// keep keeps a profile that somebody else has made.
func (s *store) keep(dir string) error {
	if err := os.MkdirAll(s.dir, 0o777); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(s.dir, "new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	copied := filepath.Join(tmp, "profile")
	if err := profiledir.Copy(copied, profiledir.Current(dir)); err != nil {
		return err
	}
	if err := os.Rename(copied, s.profile); err != nil && !profiledir.Is(s.profile) { // or another process was first
		return err
	}
	s.trim()
	return nil
}

// discard removes what has been made of a new profile.
func (s *store) discard() {
	os.RemoveAll(s.fresh)
	os.Remove(s.log)
}

// trim removes profiles that were not used for long, and the oldest if there are many. Those for one process may be in use
// while they are young, however many there are.
func (s *store) trim() {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	type kept struct {
		name string
		used time.Time
	}
	var list []kept
	for _, e := range entries {
		info, err := e.Info()
		name := filepath.Join(s.dir, e.Name())
		switch {
		case err != nil || strings.HasPrefix(e.Name(), "repository-"):
		case !strings.HasPrefix(e.Name(), once):
			list = append(list, kept{name, info.ModTime()})
		case time.Since(info.ModTime()) > onceFor:
			os.RemoveAll(name)
		}
	}
	slices.SortFunc(list, func(a, b kept) int { return cmp.Compare(b.used.UnixNano(), a.used.UnixNano()) })
	for i, k := range list {
		if i >= mostKept || time.Since(k.used) > keepFor {
			os.RemoveAll(k.name)
		}
	}
}

// firstWords returns the first thing that the go command has complained of.
func (s *store) firstWords() string {
	data, _ := os.ReadFile(s.log)
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "ok ") && !strings.HasPrefix(line, "?") {
			return strings.TrimPrefix(line, "goprofinstr: ")
		}
	}
	return "it says nothing"
}
