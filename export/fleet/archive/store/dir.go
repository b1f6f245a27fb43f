package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/fleet/internal/durable"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// Permissions of what is written. Run files are for their owner only. Counts are for the group of the directory too, which a job
// that reads them may have.
const (
	filePerm   = 0o640
	folderPerm = 0o750
)

// A Dir is a Store in a directory.
type Dir struct{ root string }

// OpenDir returns the store in a directory. It makes the directory if it is not there.
func OpenDir(root string) (*Dir, error) {
	abs, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	return &Dir{abs}, os.MkdirAll(abs, folderPerm)
}

// file returns the path of an object. No name leads out of the directory.
func (d *Dir) file(name string) (string, error) {
	if !fs.ValidPath(name) || name == "." || !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", fmt.Errorf("%q is no name of an object", name)
	}
	return filepath.Join(d.root, filepath.FromSlash(name)), nil
}

// Get implements Store.
func (d *Dir) Get(ctx context.Context, name string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	file, err := d.file(name)
	if err != nil {
		return nil, err
	}
	f, size, err := rundata.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size > MostBytes {
		return nil, &fs.PathError{Op: "get", Path: file, Err: ErrLarge}
	}
	return io.ReadAll(io.LimitReader(f, MostBytes))
}

// Put implements Store.
func (d *Dir) Put(ctx context.Context, name string, data []byte) error {
	return d.write(ctx, name, data, os.Rename)
}

// PutIfAbsent implements Store.
func (d *Dir) PutIfAbsent(ctx context.Context, name string, data []byte) (written bool, err error) {
	file, err := d.file(name)
	if err != nil {
		return false, err
	}
	if _, err := os.Lstat(file); err == nil {
		return false, nil // as it mostly is
	}
	err = d.write(ctx, name, data, link)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	return err == nil, err
}

// link gives a file another name, which no file has, in place of its own. A file system that has no links leaves a moment in
// which another writer may have the same thought.
func link(from, to string) error {
	err := os.Link(from, to)
	if err == nil {
		return os.Remove(from)
	}
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err := os.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return os.Rename(from, to)
}

// write writes a file beside all others and moves it to its place when it is on the disk. So after a power cut, too, a name
// stands for all of the data or for nothing.
func (d *Dir) write(ctx context.Context, name string, data []byte, move func(from, to string) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	file, err := d.file(name)
	if err != nil {
		return err
	}
	temporary := filepath.Join(d.root, filepath.FromSlash(Temporary))
	if err := os.MkdirAll(temporary, folderPerm); err != nil {
		return err
	}
	from, err := writeTemporary(temporary, data)
	if err != nil {
		return err
	}
	if err := d.place(from, file, move); err != nil {
		os.Remove(from)
		return err
	}
	durable.SyncFolder(filepath.Dir(file))
	return nil
}

// mostTries is how often a file is moved to its place: a folder is seldom removed at the same time, and hardly twice.
const mostTries = 100

// place moves a file to its place, whose folder Delete may just be removing as an empty one. Then os.MkdirAll finds it there and
// not there.
func (d *Dir) place(from, file string, move func(from, to string) error) (err error) {
	for range mostTries {
		err = os.MkdirAll(filepath.Dir(file), folderPerm)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if err = move(from, file); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return err
}

// writeTemporary writes a file of a name that no other has. Nothing is left of it if there is an error.
func writeTemporary(folder string, data []byte) (name string, err error) {
	f, err := os.CreateTemp(folder, "*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(filePerm), f.Sync(), f.Close())
	if err != nil {
		os.Remove(f.Name())
	}
	return f.Name(), err
}

// List implements Store. Entries that are no files, such as pipes, are no objects.
func (d *Dir) List(ctx context.Context, prefix string) (list []Info, err error) {
	top := d.root
	if prefix != "" {
		if top, err = d.file(strings.TrimSuffix(prefix, "/")); err != nil {
			return nil, err
		}
	}
	err = filepath.WalkDir(top, func(name string, e fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || !e.Type().IsRegular() {
			return gone(err)
		}
		info, err := e.Info()
		if err != nil {
			return gone(err)
		}
		rel, err := filepath.Rel(d.root, name)
		list = append(list, Info{filepath.ToSlash(rel), info.Size(), info.ModTime()})
		return err
	})
	slices.SortFunc(list, func(a, b Info) int { return strings.Compare(a.Name, b.Name) })
	return list, err
}

// gone makes nothing of the error for a file that has been deleted meanwhile.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Delete implements Store. The folder goes with its last object.
func (d *Dir) Delete(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	file, err := d.file(name)
	if err != nil {
		return err
	}
	if err := gone(os.Remove(file)); err != nil {
		return err
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if os.Remove(filepath.Join(d.root, filepath.FromSlash(dir))) != nil {
			break // there is more in it
		}
	}
	return nil
}
