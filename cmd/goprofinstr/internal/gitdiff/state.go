package gitdiff

import (
	"fmt"
	"strings"
)

// State is what git knows of a checkout.
type State struct {
	Head     string   // the commit
	modified []string // files and folders that are other than there or in no commit, relative to the root of the repository
}

// StateOf returns the state of the checkout around a folder; nil, and why, if git knows none.
func StateOf(dir string) (*State, error) {
	changes, err := git(dir, "--no-optional-locks", "status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal")
	if err != nil {
		return nil, err
	}
	head, err := git(dir, "rev-parse", "--verify", "--quiet", "HEAD")
	if err != nil { // of which git says nothing
		return nil, fmt.Errorf("git has no commit in %s", dir)
	}
	s := &State{Head: strings.TrimSpace(string(head))}
	for entry := range strings.SplitSeq(string(changes), "\x00") {
		if len(entry) > 3 { // two letters and a space
			s.modified = append(s.modified, entry[3:])
		}
	}
	return s, nil
}

// Clean returns the commit that the checkout has without any change, or "".
func (s *State) Clean() string {
	if s == nil || len(s.modified) > 0 {
		return ""
	}
	return s.Head
}

// Below returns the commit, and which files and folders below root are other than there, relative to it: a folder has a
// slash at its end. It returns nothing if root is in no repository.
func (s *State) Below(root string) (head string, modified []string) {
	if s == nil || root == "" {
		return "", nil
	}
	prefix, err := git(root, "rev-parse", "--show-prefix")
	if err != nil {
		return "", nil
	}
	for _, name := range s.modified {
		if rel, ok := strings.CutPrefix(name, strings.TrimSpace(string(prefix))); ok {
			modified = append(modified, rel)
		} else if strings.HasSuffix(name, "/") && strings.HasPrefix(strings.TrimSpace(string(prefix)), name) {
			modified = append(modified, "") // all of it
		}
	}
	return s.Head, modified
}
