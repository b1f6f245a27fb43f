package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/archive/store"
	"github.com/goprofinstr/goprofinstr/export/fleet/archive/store/s3"
)

// An Archive keeps counts in a store. It can be used by several goroutines, and others can use the store at the same time.
type Archive struct {
	title string // as errors call it
	store store.Store
	now   func() time.Time

	mu     sync.Mutex
	tables map[string]time.Time // that are there, by SHA-256 in hexadecimal, and when they were written
	listed time.Time            // when they were listed
	placed map[string]placed    // runs that have not ended, by service, host and name
}

// marker is the name of the object that an archive has and other folders do not.
const marker = "goprofinstr.archive"

// markerText is what is in it. A later layout has another number.
const markerText = "archive of goprofinstr, version 1\n"

// ErrNone is wrapped by the error of Open for a place where there is no archive.
var ErrNone = errors.New("no archive of goprofinstr's")

// Is reports whether a name is that of an archive. It is a folder that is one, or a place in a bucket, where nothing else is
// read. Of a folder that may not be entered Open says so; who does not open it asks Find.
func Is(name string) bool {
	is, err := Find(name)
	return is || err != nil
}

// Find reports whether a name is that of an archive, or returns an error where nobody knows.
func Find(name string) (bool, error) {
	if strings.HasPrefix(name, s3.Scheme) {
		return true, nil
	}
	return isFolder(name)
}

// isFolder reports whether a folder is an archive. An error is that nobody knows, as where the folder may not be entered.
func isFolder(dir string) (bool, error) {
	info, err := os.Stat(filepath.Join(dir, marker))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return false, nil
	}
	return err == nil && info.Mode().IsRegular(), err
}

// Identity tells an archive from others, also from one that was in its place before. It is the same from wherever the archive
// is named, and however it grows. Of a place in a bucket it is the name.
func Identity(name string) string {
	info, err := os.Stat(filepath.Join(name, marker))
	if err != nil {
		return name
	}
	if abs, err := filepath.Abs(name); err == nil {
		name = abs
	}
	return fmt.Sprintf("%s %d", name, info.ModTime().UnixNano())
}

// Open returns the archive in a folder or, if the name is as in s3://BUCKET/PREFIX, in a bucket. See package s3 for what the
// environment must have.
func Open(ctx context.Context, name string) (*Archive, error) {
	return open(ctx, name, openFolder, OpenStore)
}

// Create is Open, and makes an archive of a folder that is empty or not there, and of a place in a bucket.
func Create(ctx context.Context, name string) (*Archive, error) {
	return open(ctx, name, createFolder, CreateStore)
}

// open opens an archive by its name.
func open(ctx context.Context, name string, folder func(context.Context, string) (*Archive, error),
	inStore func(context.Context, string, store.Store) (*Archive, error)) (*Archive, error) {
	if !strings.HasPrefix(name, s3.Scheme) {
		return folder(ctx, name)
	}
	s, err := s3.Open(name)
	if err != nil {
		return nil, err
	}
	return inStore(ctx, name, s)
}

func openFolder(ctx context.Context, dir string) (*Archive, error) {
	if is, err := isFolder(dir); err != nil {
		return nil, err
	} else if !is {
		if _, err := os.Stat(dir); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%s: %w: goprofinstr archive add makes one", dir, ErrNone)
	}
	s, err := store.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	return OpenStore(ctx, dir, s)
}

func createFolder(ctx context.Context, dir string) (*Archive, error) {
	is, err := isFolder(dir)
	if err != nil {
		return nil, err
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 && !is {
		return nil, fmt.Errorf("%s: %w, and it is not empty", dir, ErrNone)
	}
	s, err := store.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	return CreateStore(ctx, dir, s)
}

// OpenStore returns the archive in a store, which errors call by a title.
func OpenStore(ctx context.Context, title string, s store.Store) (*Archive, error) {
	text, err := s.Get(ctx, marker)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w", title, ErrNone)
	case err != nil:
		return nil, err
	case string(text) != markerText:
		return nil, fmt.Errorf("%s: another goprofinstr has made this archive: %.40q", title, text)
	}
	return &Archive{
		title: title, store: s, now: time.Now, placed: make(map[string]placed),
	}, nil
}

// CreateStore is OpenStore, and makes an archive where there is none.
func CreateStore(ctx context.Context, title string, s store.Store) (*Archive, error) {
	if _, err := s.PutIfAbsent(ctx, marker, []byte(markerText)); err != nil {
		return nil, err
	}
	return OpenStore(ctx, title, s)
}
