// Package results keeps what this program has found out, so that packages that have not changed are not analysed
// again: rewritten packages, which packages the go command has listed, and where in its build cache export data is.
package results

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/cache"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
)

// A Store has what was found out before.
type Store struct {
	tc   *toolchain.Toolchain
	dir  string                // our folder in the user's cache folder, or ""
	open func() (opened, bool) // false if there is no cache
}

type opened struct {
	*cache.Cache
	tool string // what tells this program from others and its earlier versions
}

// Open opens the store in the user's cache folder, for what was found out with this toolchain.
func Open(tc *toolchain.Toolchain) *Store {
	s := &Store{tc: tc}
	if dir, err := os.UserCacheDir(); err == nil {
		s.dir = filepath.Join(dir, "goprofinstr")
	}
	s.open = sync.OnceValues(func() (opened, bool) {
		tool, err := self()
		if s.dir == "" || err != nil { // results of another version must not be taken for ours
			return opened{}, false
		}
		return opened{cache.Open(filepath.Join(s.dir, "results")), tool}, true
	})
	go s.open() // while the go command lists packages
	return s
}

// Hash starts the key of a result.
func (s *Store) Hash(kind string) *cache.Hash {
	c, _ := s.open()
	h := cache.NewHash(kind)
	h.Add(c.tool, s.tc.GOVERSION, s.tc.GOOS, s.tc.GOARCH)
	return h
}

// Dir returns the folder of this program in the user's cache folder, "" if there is none.
func (s *Store) Dir() string { return s.dir }

// Trim deletes old results, and old files in other folders of Dir.
func (s *Store) Trim(others ...string) {
	if c, ok := s.open(); ok {
		for i, name := range others {
			others[i] = filepath.Join(s.dir, name)
		}
		c.Trim(others...)
	}
}

// Get reads a value from the cache.
func (s *Store) Get(k cache.Key, value any) bool {
	c, ok := s.open()
	if !ok {
		return false
	}
	data, ok := c.Get(k)
	return ok && gob.NewDecoder(bytes.NewReader(data)).Decode(value) == nil
}

// Remove removes a value from the cache, if it is there.
func (s *Store) Remove(k cache.Key) {
	if c, ok := s.open(); ok {
		c.Remove(k)
	}
}

// Put keeps a value in the cache.
func (s *Store) Put(k cache.Key, value any) {
	c, ok := s.open()
	if !ok {
		return
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(value); err != nil {
		panic(fmt.Sprintf("BUG: cannot encode a %T: %v", value, err))
	}
	c.Put(k, b.Bytes())
}

// File returns the name of a file whose base name and contents are these, which stays after this run.
func (s *Store) File(base string, data []byte) (name string, ok bool) {
	c, ok := s.open()
	if !ok {
		return "", false
	}
	return c.File(base, data)
}

// A keeper keeps values by words.
type keeper struct{ store *Store }

// Keeper returns what keeps listings of packages, as load.Keeper.
func (s *Store) Keeper() keeper { return keeper{s} }

func (k keeper) key(words []string) cache.Key {
	h := k.store.Hash("kept")
	h.Add(words...)
	return h.Key()
}

// Get reads a value that was kept.
func (k keeper) Get(words []string, value any) bool { return k.store.Get(k.key(words), value) }

// Put keeps a value.
func (k keeper) Put(words []string, value any) { k.store.Put(k.key(words), value) }
