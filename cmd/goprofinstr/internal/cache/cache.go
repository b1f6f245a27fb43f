// Package cache keeps results in files, by a key that is a hash of all that they depend on.
//
// It is one more folder like the go command's build cache. Entries are written to a file of another name and
// renamed, so that several processes can use it at once. Each begins with a hash of its data, so that damage is
// noticed. [Cache.Trim] deletes what has not been used for some days. A cache that cannot be read has nothing in
// it, and one that cannot be written stays as it is: nobody is told, for the results are only late.
//
// The package github.com/rogpeppe/go-internal/cache is like it, and lacks three things. Its Trim goes by age alone: the
// rewritten standard library takes 60 MB, and each build of goprofinstr and each choice of flags makes another; here a
// gigabyte is the most. It trims its own folder only, and the compiler's profiles, which have to have
// names of their own, lie in another. Its Open fails where the folder cannot be made, so that every user would have to
// do without a cache in code of its own. It would also have two files for an entry in place of one.
package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"time"
)

// A Cache is a folder with entries.
type Cache struct {
	dir string
	now func() time.Time
}

// Open returns the cache in a folder, which need not exist.
func Open(dir string) *Cache {
	return &Cache{dir, time.Now}
}

// Key is the name of an entry.
type Key [sha256.Size]byte

// A Hash makes a key of its parts.
type Hash struct{ h hash.Hash }

// NewHash starts a key of a kind of entries.
func NewHash(kind string) *Hash {
	h := &Hash{sha256.New()}
	h.Add(kind)
	return h
}

// Add adds parts. Each counts with its length, so that no two lists of them make the same key.
func (h *Hash) Add(parts ...string) {
	for _, p := range parts {
		fmt.Fprintf(h.h, "%d:%s", len(p), p)
	}
}

// Key returns the key.
func (h *Hash) Key() (k Key) {
	h.h.Sum(k[:0])
	return k
}

// usedAfter is the age at which the time of an entry is set anew when it is used: not each time, which
// would be a write for each read.
const usedAfter = time.Hour

// Get returns the data of an entry.
func (c *Cache) Get(k Key) (data []byte, ok bool) {
	name := c.file(k)
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, false
	}
	if len(content) < sha256.Size {
		return nil, false
	}
	data = content[sha256.Size:]
	if sum := sha256.Sum256(data); !bytes.Equal(sum[:], content[:sha256.Size]) {
		return nil, false
	}
	Touch(name, c.now())
	return data, true
}

// Touch notes that a file of a folder that is trimmed is used.
func Touch(name string, now time.Time) {
	if info, err := os.Stat(name); err == nil && now.Sub(info.ModTime()) > usedAfter {
		os.Chtimes(name, now, now)
	}
}

// Put makes or replaces an entry.
func (c *Cache) Put(k Key, data []byte) {
	sum := sha256.Sum256(data)
	write(c.file(k), sum[:], data)
}

// File returns the name of a file whose base name and contents are these. Other programs read it while it is in use; a
// hash cannot be in it, so it is compared with the data each time.
func (c *Cache) File(base string, data []byte) (name string, ok bool) {
	sum := sha256.Sum256(data)
	folder := hex.EncodeToString(sum[:])
	name = filepath.Join(c.dir, "files", folder[:2], folder, base)
	if content, err := os.ReadFile(name); err == nil && bytes.Equal(content, data) {
		Touch(name, c.now())
		return name, true
	}
	return name, write(name, data)
}

// write writes a file in parts, so that it is there with all of them or not at all.
func write(name string, parts ...[]byte) bool {
	if os.MkdirAll(filepath.Dir(name), 0o777) != nil {
		return false
	}
	f, err := os.CreateTemp(filepath.Dir(name), "new")
	if err != nil {
		return false
	}
	for _, p := range parts {
		if _, err1 := f.Write(p); err1 != nil {
			err = err1
		}
	}
	if err1 := f.Close(); err != nil || err1 != nil || os.Rename(f.Name(), name) != nil {
		os.Remove(f.Name())
		return false
	}
	return true
}

// Remove removes an entry, if it is there.
func (c *Cache) Remove(k Key) { os.Remove(c.file(k)) }

// file returns the name of an entry's file. They are in 256 folders, as those of the go command are: some file
// systems are slow with thousands of files in one.
func (c *Cache) file(k Key) string {
	name := hex.EncodeToString(k[:])
	return filepath.Join(c.dir, name[:2], name)
}
