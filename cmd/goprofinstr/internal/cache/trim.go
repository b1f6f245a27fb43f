package cache

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// What Trim keeps. The times are the go command's (cmd/go/internal/cache).
const (
	trimEvery = 24 * time.Hour
	keepFor   = 5 * 24 * time.Hour

	// The standard library's rewritten packages take 60 MB.
	maxSize = 1 << 30
)

// trimmed is the file whose time is that of the last Trim.
const trimmed = "trimmed"

// Trim deletes the files of the cache that have not been used for five days, and then the oldest until those that
// are left take a gigabyte. If it has done so within the last day, it does nothing. Others are folders besides the
// cache whose files it is to go by.
func (c *Cache) Trim(others ...string) {
	mark := filepath.Join(c.dir, trimmed)
	if info, err := os.Stat(mark); err == nil && c.now().Sub(info.ModTime()) < trimEvery {
		return
	}
	if os.WriteFile(mark, nil, 0o666) != nil { // first, so that other processes do not start, too
		return
	}
	os.Chtimes(mark, c.now(), c.now())
	var files []file
	for _, dir := range append(others, c.dir) {
		files = append(files, filesIn(dir)...)
	}
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(b.used.UnixNano(), a.used.UnixNano()) })
	size := int64(0)
	for _, f := range files {
		if size += f.size; f.name != mark && (size > maxSize || c.now().Sub(f.used) > keepFor) {
			os.Remove(f.name)
			os.Remove(filepath.Dir(f.name)) // if nothing else is in it
		}
	}
}

type file struct {
	name string
	size int64
	used time.Time
}

func filesIn(dir string) []file {
	var files []file
	filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			files = append(files, file{name, info.Size(), info.ModTime()})
		}
		return nil
	})
	return files
}
