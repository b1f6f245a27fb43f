// Package mergebase has the profile of the commit that a change begins at: the merge base of a revision and HEAD.
//
//	b, err := mergebase.Find(p.Root, "origin/main")
//	kept, err := b.Profile(dir)     // made once for each commit
//	defer kept.Done()
//	… kept.Dir is a profile directory …
//
// The tests run in a git worktree in the user's cache folder, by the go command that has made the profile of the change. The
// user's checkout is not touched. The worktree is removed whatever happens: signals wait for that. One that a killed process
// has left is removed by the next.
package mergebase

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gitdiff"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// A Base is the commit that a change begins at.
type Base struct {
	Revision string // as the user calls it
	Commit   string // the merge base of that and HEAD

	root   string // of the module or workspace
	prefix string // of root in the repository, with forward slashes; "" or "a/b/"
}

// Find returns the merge base of a revision and HEAD in the repository around a folder, which is the root of a module or
// workspace.
func Find(root, rev string) (*Base, error) {
	if err := gitdiff.Verify(root, rev); err != nil {
		return nil, err
	}
	commit, err := git(root, "merge-base", "--end-of-options", rev, "HEAD")
	if err != nil || commit == "" {
		if shallow, _ := git(root, "rev-parse", "--is-shallow-repository"); shallow == "true" {
			return nil, fmt.Errorf("the history in %s is too short to tell the merge base of %s and HEAD: "+
				"git fetch --unshallow gets the rest, and in continuous integration fetch-depth: 0 of actions/checkout, or GIT_DEPTH: 0 of GitLab", root, rev)
		}
		return nil, fmt.Errorf("%s and HEAD have no commit in common in %s", rev, root)
	}
	return &Base{Revision: rev, Commit: commit, root: root, prefix: gitdiff.Prefix(root)}, nil
}

// Kept is a profile directory.
type Kept struct {
	Dir     string
	Warning string // "" if nothing is wrong with it

	remove string // folder of a profile that is not kept for the next time; or ""
}

// Done removes a profile that is not kept for the next time.
func (k *Kept) Done() {
	if k.remove != "" {
		os.RemoveAll(k.remove)
	}
}

// Profile returns the profile of the base. It is made if there is none, as the profile in directory dir was made.
func (b *Base) Profile(dir string) (*Kept, error) {
	m, err := profiledir.ReadManifest(profiledir.Current(dir))
	if err != nil {
		return nil, err
	}
	r, err := recorded(dir, m)
	if err == nil {
		err = r.enter(b.prefix, dir, m)
	}
	if err != nil {
		return nil, fmt.Errorf("%w; -baseline takes a profile of %s", err, b.Commit)
	}
	s, err := newStore(b, r)
	if err != nil {
		return nil, err
	}
	if s.has() {
		return &Kept{Dir: s.profile}, nil
	}
	if m.Commit == b.Commit {
		s.keep(dir) // or it is made the next time
		return &Kept{Dir: dir}, nil
	}
	if err := s.lock(); err != nil {
		return nil, err
	}
	defer s.unlock()
	if s.has() { // another process has made it
		return &Kept{Dir: s.profile}, nil
	}
	return b.make(s, r)
}

// Interrupted is the error for a signal that came while a profile was made.
type Interrupted struct{ Signal os.Signal }

func (i *Interrupted) Error() string {
	return i.Signal.String() + ": the profile of the merge base is not made"
}

// Exit returns the exit code of a process that a signal has ended, as shells say it.
func (i *Interrupted) Exit() int {
	if n, ok := i.Signal.(syscall.Signal); ok {
		return 128 + int(n)
	}
	return 1
}

// make runs the tests of the base in a worktree. The store is locked.
func (b *Base) make(s *store, r *recording) (k *Kept, err error) {
	signals := heed()
	w := &worktree{repository: b.root, dir: s.tree, signals: signals}
	w.remove() // of a process that was killed
	fmt.Fprintf(os.Stderr, "goprofinstr: the profile of the merge base %.12s is made, by %s\n", b.Commit, r)
	started := time.Now()
	defer func() {
		signals.cleaning = true
		err = cmp.Or(err, w.remove())
		if signal := signals.stop(); signal != nil {
			s.discard()
			err = &Interrupted{signal}
		}
		if err != nil && k != nil {
			k.Done()
			k = nil
		}
	}()
	if err := w.add(b.Commit); err != nil || signals.got != nil { // git may have made it all the same
		return nil, err
	}
	exit, err := s.run(r, filepath.Join(s.tree, filepath.FromSlash(b.prefix), filepath.FromSlash(r.dir)), b, signals)
	if err != nil || signals.got != nil {
		return nil, err
	}
	if !profiledir.Is(s.fresh) {
		return nil, fmt.Errorf("%s has made no profile of %.12s: %s; %s has what it says, and -baseline takes another profile",
			r, b.Commit, s.firstWords(), s.log)
	}
	if exit != 0 {
		return s.once(fmt.Sprintf("%s fails at the merge base %.12s, "+
			"which may cover less than it should: %s; %s has what it says", r, b.Commit, s.firstWords(), s.log))
	}
	took := time.Since(started).Round(100 * time.Millisecond)
	fmt.Fprintf(os.Stderr, "goprofinstr: that took %v; it is kept for the next time\n", took)
	return &Kept{Dir: s.profile}, s.settle()
}

// A worktree is a checkout of a commit in a folder of its own.
type worktree struct {
	repository, dir string
	signals         *signals
}

// add makes it. No hook of the repository runs.
func (w *worktree) add(commit string) error {
	_, err := w.git("-c", "core.hooksPath="+os.DevNull, "worktree", "add", "--quiet", "--force", "--detach", w.dir, commit)
	return err
}

// remove removes it, and what the repository knows of it, if it is there.
func (w *worktree) remove() error {
	if _, err := os.Lstat(w.dir); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	w.git("worktree", "remove", "--force", "--force", w.dir)
	if err := removeAll(w.dir); err != nil {
		return err
	}
	w.git("worktree", "remove", "--force", "--force", w.dir) // where only the folder went; git knows nothing of it otherwise
	return nil
}

func (w *worktree) git(args ...string) (string, error) {
	cmd := gitCommand(w.repository, args...)
	return output(cmd, func() error { return w.signals.run(cmd) })
}

// removeAll removes a folder, also with others in it that must not be written to, as the go command's module cache has them.
func removeAll(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			os.Chmod(name, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}

// git runs git in a folder, and returns what it prints, without the line end.
func git(dir string, args ...string) (string, error) {
	cmd := gitCommand(dir, args...)
	return output(cmd, cmd.Run)
}

// oneLine returns the first line of a text.
func oneLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
