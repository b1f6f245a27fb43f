package cache

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

func key(parts ...string) Key {
	h := NewHash("test")
	h.Add(parts...)
	return h.Key()
}

func check(t *testing.T, c *Cache, k Key, want string) {
	t.Helper()
	got, ok := c.Get(k)
	if ok != (want != "") || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, ok, want)
	}
}

func TestGetPut(t *testing.T) {
	c := Open(filepath.Join(t.TempDir(), "not", "yet"))
	check(t, c, key("a"), "")
	c.Put(key("a"), []byte("result"))
	check(t, c, key("a"), "result")
	check(t, c, key("b"), "")
	c.Put(key("a"), []byte("another"))
	check(t, c, key("a"), "another")
}

func TestKeys(t *testing.T) {
	lists := [][]string{{}, {""}, {"", ""}, {"a"}, {"a", "b"}, {"ab"}, {"b", "a"}, {"1:a"}, {"a1:b"}}
	seen := map[Key][]string{NewHash("other").Key(): {"other"}}
	for _, parts := range lists {
		k := key(parts...)
		if other, ok := seen[k]; ok {
			t.Errorf("%q and %q have the same key", parts, other)
		}
		seen[k] = parts
	}
}

// TestDamaged damages an entry in each byte, and cuts it off at each.
func TestDamaged(t *testing.T) {
	c := Open(t.TempDir())
	c.Put(key("a"), []byte("result"))
	name := c.file(key("a"))
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		damaged := bytes.Clone(whole)
		damaged[i] ^= 1
		for _, content := range [][]byte{damaged, whole[:i]} {
			if err := os.WriteFile(name, content, 0o666); err != nil {
				t.Fatal(err)
			}
			check(t, c, key("a"), "")
		}
	}
	c.Put(key("a"), []byte("result"))
	check(t, c, key("a"), "result")
}

// TestFile has files of one name with different contents, damages one, and lets it grow old.
func TestFile(t *testing.T) {
	c := Open(t.TempDir())
	now := time.Now()
	c.now = func() time.Time { return now }
	check := func(base, data string) string {
		t.Helper()
		name, ok := c.File(base, []byte(data))
		if got, err := os.ReadFile(name); !ok || err != nil || string(got) != data || filepath.Base(name) != base {
			t.Errorf("%s has %q, %v, want %q in %s", name, got, err, data, base)
		}
		return name
	}
	first, second := check("x.go", "first"), check("x.go", "second")
	if again := check("x.go", "first"); first == second || first != again {
		t.Errorf("the files are %s, %s, and %s again", first, second, again)
	}
	if err := os.WriteFile(first, []byte("damaged"), 0o666); err != nil {
		t.Fatal(err)
	}
	check("x.go", "first")
	c.Trim()
	now = now.Add(6 * 24 * time.Hour)
	c.Trim()
	if _, err := os.Stat(filepath.Dir(first)); err == nil {
		t.Errorf("the folder of %s is left behind", first)
	}
	check("x.go", "first")
}

// TestNoFolder has a cache whose folder cannot be made: a file is in its place.
func TestNoFolder(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	c := Open(name)
	c.Put(key("a"), []byte("result"))
	check(t, c, key("a"), "")
	c.Trim()
}

func TestConcurrent(t *testing.T) {
	dir := t.TempDir()
	result := func(n int) []byte { return bytes.Repeat([]byte{byte(n)}, 100_000) }
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			c := Open(dir)
			for n := range 20 {
				k := key(fmt.Sprint(n))
				if got, ok := c.Get(k); ok && !bytes.Equal(got, result(n)) {
					t.Errorf("writer %d: wrong data for %d", i, n)
				}
				c.Put(k, result(n))
				if got, ok := c.Get(k); !ok || !bytes.Equal(got, result(n)) {
					t.Errorf("writer %d: wrong data for %d", i, n)
				}
				c.Trim()
			}
		})
	}
	wg.Wait()
	for _, f := range filesIn(dir) {
		if base := filepath.Base(f.name); len(base) != 2*len(Key{}) && base != trimmed {
			t.Errorf("%s is left behind", f.name)
		}
	}
}

func TestTrim(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	now := time.Now()
	c := Open(dir)
	c.now = func() time.Time { return now }
	old := filepath.Join(other, "old")
	if err := os.WriteFile(old, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	c.Put(key("used"), []byte("used"))
	c.Put(key("unused"), []byte("unused"))
	c.Trim(other)

	now = now.Add(4 * 24 * time.Hour)
	check(t, c, key("used"), "used")
	c.Trim(other)
	check(t, Open(dir), key("unused"), "unused")

	// Open's clock has not touched the entry.
	now = now.Add(2 * 24 * time.Hour)
	c.Trim(other)
	check(t, c, key("used"), "used")
	check(t, c, key("unused"), "")
	if _, err := os.Stat(old); err == nil {
		t.Error("the other folder is not trimmed")
	}
}

// TestTrimSize makes sparse files that say that they are large.
func TestTrimSize(t *testing.T) {
	c := Open(t.TempDir())
	names := []string{"new", "older", "oldest"}
	for i, name := range names {
		c.Put(key(name), []byte(name))
		file := c.file(key(name))
		if err := os.Truncate(file, maxSize/2); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-time.Duration(i) * time.Minute)
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
	c.Trim()
	for i, name := range names {
		if _, err := os.Stat(c.file(key(name))); (err == nil) != (i < 2) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
