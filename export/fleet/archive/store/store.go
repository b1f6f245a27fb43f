// Package store keeps the objects of an archive: in a directory, or elsewhere.
//
//	s, err := store.OpenDir("profiles")
//	err = s.Put(ctx, "counts/shop/7c3f/2026-01-01/4711.1@web1", data) // now it is there, whole
//	infos, err := s.List(ctx, "counts/shop/")
//
// An object's name has parts between slashes, as paths of package io/fs have. Objects are written as a whole. They are
// read as a whole or not at all, whatever else is going on and whenever a writer is killed.
//
// Not handled are locks: what needs one must make do with PutIfAbsent.
package store

import (
	"context"
	"errors"
	"time"
)

// A Store keeps objects by name. Its methods can be called by several goroutines at once, and several processes
// can use what it keeps.
type Store interface {
	// Get returns an object. The error wraps fs.ErrNotExist if there is none, and ErrLarge if it has more than MostBytes. All
	// other errors say nothing of the object.
	Get(ctx context.Context, name string) ([]byte, error)
	// Put writes an object, in place of one that is there.
	Put(ctx context.Context, name string, data []byte) error
	// PutIfAbsent writes an object if there is none of that name. Of several at a time one is written.
	PutIfAbsent(ctx context.Context, name string, data []byte) (written bool, err error)
	// List returns what there is with names that begin with a prefix, which is "" or ends in a slash, by name. What is written or
	// deleted meanwhile may be there or not.
	List(ctx context.Context, prefix string) ([]Info, error)
	// Delete deletes an object, if it is there.
	Delete(ctx context.Context, name string) error
}

// An Info is what a list says of an object.
type Info struct {
	Name     string
	Size     int64
	Modified time.Time // when it was written
}

// Temporary is the prefix of what a writer has left that was killed. These are listed as objects are, to be deleted some time.
const Temporary = "tmp/"

// MostBytes bounds what is read of an object: path tables are the largest, and have no more.
const MostBytes = 64 << 20

// ErrLarge is wrapped by the error of Get for an object with more than MostBytes.
var ErrLarge = errors.New("it has more than 64 MiB, and no object has")
