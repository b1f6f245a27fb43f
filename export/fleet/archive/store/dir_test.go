package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
)

func open(t *testing.T) (*Dir, string) {
	root := filepath.Join(t.TempDir(), "archive")
	d, err := OpenDir(root)
	if err != nil {
		t.Fatal(err)
	}
	return d, root
}

func names(t *testing.T, s Store, prefix string) (list []string) {
	infos, err := s.List(context.Background(), prefix)
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range infos {
		list = append(list, info.Name)
	}
	return list
}

// TestDir writes, reads, lists and deletes.
func TestDir(t *testing.T) {
	ctx := context.Background()
	d, root := open(t)
	if _, err := d.Get(ctx, "a/b"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing is there: %v", err)
	}
	for _, step := range []struct{ name, data string }{{"a/b", "1"}, {"a/b", "2"}, {"a/c/d", "3"}, {"ab", "4"}} {
		if err := d.Put(ctx, step.name, []byte(step.data)); err != nil {
			t.Fatal(err)
		}
		if got, err := d.Get(ctx, step.name); err != nil || string(got) != step.data {
			t.Errorf("%s: %q, %v", step.name, got, err)
		}
	}
	for name, want := range map[string]bool{"a/b": false, "a/e": true} {
		if written, err := d.PutIfAbsent(ctx, name, []byte("5")); err != nil || written != want {
			t.Errorf("%s: written %v, %v", name, written, err)
		}
	}
	if got, _ := d.Get(ctx, "a/b"); string(got) != "2" {
		t.Errorf("overwritten with %q", got)
	}
	if got := names(t, d, "a/"); !slices.Equal(got, []string{"a/b", "a/c/d", "a/e"}) {
		t.Errorf("list of a/: %v", got)
	}
	if got := names(t, d, ""); !slices.Equal(got, []string{"a/b", "a/c/d", "a/e", "ab"}) {
		t.Errorf("list: %v", got)
	}
	if got := names(t, d, "nothing/"); got != nil {
		t.Errorf("list of nothing: %v", got)
	}
	for _, name := range []string{"a/c/d", "a/c/d", "a/x/y"} {
		if err := d.Delete(ctx, name); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(root, "a", "c")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder is left: %v", err)
	}
	if got := names(t, d, ""); len(got) != 3 {
		t.Errorf("list at last: %v", got)
	}
}

// TestNames has names that lead out of the directory, and to itself.
func TestNames(t *testing.T) {
	ctx := context.Background()
	d, root := open(t)
	for _, name := range []string{"../x", "/x", "a/../../x", "", ".", "a//b", "a/", "./a"} {
		_, err := d.Get(ctx, name)
		_, err2 := d.PutIfAbsent(ctx, name, nil)
		for _, err := range []error{err, err2, d.Put(ctx, name, nil), d.Delete(ctx, name)} {
			if err == nil || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%q: error %v", name, err)
			}
		}
	}
	if entries, err := os.ReadDir(filepath.Dir(root)); err != nil || len(entries) != 1 {
		t.Errorf("beside the archive: %v, %v", entries, err)
	}
}

// TestOnce has many write an object at once if it is absent: one does.
func TestOnce(t *testing.T) {
	ctx := context.Background()
	d, _ := open(t)
	for round := range 20 {
		name := fmt.Sprint("days/", round)
		var wrote [8]bool
		var wait sync.WaitGroup
		for i := range wrote {
			wait.Go(func() {
				written, err := d.PutIfAbsent(ctx, name, []byte{byte(i)})
				if err != nil {
					t.Error(err)
				}
				wrote[i] = written
			})
		}
		wait.Wait()
		got, err := d.Get(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range wrote {
			if w != (int(got[0]) == i) {
				t.Errorf("writer %d wrote: %v; the object is that of %d", i, w, got[0])
			}
		}
	}
}

// TestFolders has writers and deleters of a folder's only object: no write is lost for want of the folder.
func TestFolders(t *testing.T) {
	ctx := context.Background()
	d, _ := open(t)
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			for range 200 {
				name := fmt.Sprint("a/b/c/", i)
				if err := errors.Join(d.Put(ctx, name, []byte("x")), d.Delete(ctx, name)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	if got := names(t, d, ""); got != nil {
		t.Errorf("left: %v", got)
	}
}

// TestWhole reads an object while others write it.
func TestWhole(t *testing.T) {
	ctx := context.Background()
	d, _ := open(t)
	data := func(i int) []byte { return bytes.Repeat([]byte{byte(i)}, 10000+i) }
	if err := d.Put(ctx, "a", data(0)); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for i := range 2 {
		wait.Go(func() {
			for n := range 50 {
				if err := d.Put(ctx, "a", data(i+n)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 200 {
		got, err := d.Get(ctx, "a")
		if err != nil || len(got) < 10000 || !bytes.Equal(got, data(len(got)-10000)) {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
	}
	wait.Wait()
}

// TestLarge has a file that is larger than any object is.
func TestLarge(t *testing.T) {
	ctx := context.Background()
	d, root := open(t)
	if err := os.WriteFile(filepath.Join(root, "a"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(root, "a"), MostBytes+1); err != nil { // it takes no room
		t.Fatal(err)
	}
	if _, err := d.Get(ctx, "a"); !errors.Is(err, ErrLarge) {
		t.Errorf("%v", err)
	}
}

// TestFull has a folder that cannot be written to: nothing is there afterwards, and what was there still is.
func TestFull(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		t.Skip("who may write everywhere never fails to")
	}
	ctx := context.Background()
	d, root := open(t)
	if err := d.Put(ctx, "a", []byte("1")); err != nil {
		t.Fatal(err)
	}
	temporary := filepath.Join(root, "tmp")
	if err := os.Chmod(temporary, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(temporary, 0o700)
	if err := d.Put(ctx, "a", []byte("2")); err == nil {
		t.Error("no error")
	}
	if got, err := d.Get(ctx, "a"); err != nil || string(got) != "1" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestNotFiles has something else than files in the places of objects.
func TestNotFiles(t *testing.T) {
	d, root := open(t)
	if err := os.MkdirAll(filepath.Join(root, "a"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Get(context.Background(), "a"); err == nil {
		t.Error("a folder is read")
	}
	if err := os.Symlink(os.DevNull, filepath.Join(root, "b")); err != nil {
		t.Skip(err)
	}
	if _, err := d.Get(context.Background(), "b"); err == nil {
		t.Error("a device is read")
	}
	if got := names(t, d, ""); got != nil {
		t.Errorf("listed: %v", got)
	}
}
