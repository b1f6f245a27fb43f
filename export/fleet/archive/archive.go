package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/archive/store"
)

// An Archive keeps counts in a store. It can be used by several goroutines, and others can use the store at the same time.
type Archive struct {
	title string // as errors call it
	store store.Store
	now   func() time.Time

	mu     sync.Mutex
	tables map[string]time.Time // that are there, by SHA-256 in hexadecimal, and when they were
	placed map[string]placed    // runs that have not ended, by service, host and name
}

// marker is the name of the object that an archive has and other folders do not.
const marker = "goprofinstr.archive"

// markerText is what is in it. A later layout has another number.
const markerText = "archive of goprofinstr, version 1\n"

// ErrNone is wrapped by the error of Open for a place where there is no archive.
var ErrNone = errors.New("no archive of goprofinstr's")

// Is reports whether a folder is an archive.
func Is(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, marker))
	return err == nil && info.Mode().IsRegular()
}

// Open returns the archive in a folder.
func Open(ctx context.Context, dir string) (*Archive, error) {
	if !Is(dir) {
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

// Create is Open, and makes an archive of a folder that is empty or not there.
func Create(ctx context.Context, dir string) (*Archive, error) {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 && !Is(dir) {
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
		title: title, store: s, now: time.Now, tables: make(map[string]time.Time), placed: make(map[string]placed),
	}, nil
}

// CreateStore is OpenStore, and makes an archive where there is none.
func CreateStore(ctx context.Context, title string, s store.Store) (*Archive, error) {
	if _, err := s.PutIfAbsent(ctx, marker, []byte(markerText)); err != nil {
		return nil, err
	}
	return OpenStore(ctx, title, s)
}
