package selection

import (
	"os"
	"path/filepath"
	"slices"
)

// addUntracked selects by files that git does not show changes of: it ignores them, as many ignore generated ones, or another
// repository has them. The data tell what instrumented files have been. Of the tracked ones git shows changes.
func (s *selector) addUntracked(tracked map[string]bool) {
	built := make(map[string]bool)
	for _, p := range s.packages {
		if s.isFixed(p) {
			continue
		}
		add := func(tests bool, lists ...[]string) {
			for _, file := range slices.Concat(lists...) {
				name, below := s.below(filepath.Join(p.Dir, file))
				built[name] = true
				if below && !tracked[name] && !s.isSame(name) {
					s.part(p, tests, name+" is not tracked by git, and may have changed")
				}
			}
		}
		add(false, p.GoFiles, p.CgoFiles, p.EmbedFiles, p.others())
		add(true, p.TestGoFiles, p.XTestGoFiles, p.TestEmbedFiles, p.XTestEmbedFiles)
	}
	for _, file := range s.modfiles() {
		if name, below := s.below(file); !below || !tracked[name] {
			if _, err := os.Stat(file); err == nil {
				s.everything(filepath.Base(file) + " is not tracked by git here, and may have changed")
			}
		}
	}
	for name := range s.data.sums {
		dir := filepath.Join(s.root, filepath.Dir(filepath.FromSlash(name)))
		if p := s.dirs[dir]; p != nil && !tracked[name] && !built[name] {
			s.whole(p, name+" is not tracked by git, and is gone")
		}
	}
}

// isSame reports whether a file has the code that it had when the data were made.
func (s *selector) isSame(name string) bool {
	sum, ok := s.data.sums[name]
	if !ok {
		return false
	}
	src, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name)))
	return err == nil && sum.Is(src)
}
