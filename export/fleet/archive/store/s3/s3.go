// Package s3 is a store in a bucket of Amazon S3, or of a server that is like it.
//
//	s, err := s3.Open("s3://profiles/prod")
//
// Where the bucket is, and by what right it is used, is told by variables that other tools have, too:
//
//	AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN
//	AWS_REGION, or AWS_DEFAULT_REGION
//	AWS_ENDPOINT_URL_S3, or AWS_ENDPOINT_URL    for a server that is not Amazon's
//
// Nothing else is looked at: neither files nor the metadata of a machine. Not handled are servers without conditional writes
// (If-None-Match), on which compaction by two at the same time is not safe.
package s3

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/goprofinstr/goprofinstr/export/fleet/archive/store"
)

// mostTries is how often a request is sent whose answer is lost or asks for patience: some seconds in all. Whoever puts counts
// regularly comes again anyhow.
const mostTries = 5

// Scheme is what names of such stores begin with.
const Scheme = "s3://"

// A Store is one in a bucket.
type Store struct {
	client         *minio.Client
	bucket, prefix string // the prefix is "" or ends in a slash
}

var _ store.Store = (*Store)(nil)

// Open returns the store of a name as in s3://BUCKET/PREFIX. It does not ask whether the bucket is there.
func Open(name string) (*Store, error) {
	bucket, prefix, _ := strings.Cut(strings.TrimPrefix(name, Scheme), "/")
	prefix = strings.Trim(prefix, "/")
	if !strings.HasPrefix(name, Scheme) || bucket == "" || prefix != "" && !fs.ValidPath(prefix) {
		return nil, fmt.Errorf("%s: want s3://BUCKET or s3://BUCKET/PREFIX", name)
	}
	id, secret := os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY")
	if id == "" || secret == "" {
		return nil, fmt.Errorf("%s: want AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment", name)
	}
	host, secure, err := endpoint()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	client, err := minio.New(host, &minio.Options{
		Creds:      credentials.NewStaticV4(id, secret, os.Getenv("AWS_SESSION_TOKEN")),
		Secure:     secure,
		MaxRetries: mostTries,
		Region:     cmp.Or(os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION")),
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if prefix != "" {
		prefix += "/"
	}
	return &Store{client, bucket, prefix}, nil
}

// endpoint returns the host of the server. Counts and what signs requests do not go over a network in the clear.
func endpoint() (host string, secure bool, err error) {
	variable := "AWS_ENDPOINT_URL_S3"
	if os.Getenv(variable) == "" {
		variable = "AWS_ENDPOINT_URL"
	}
	u, err := url.Parse(cmp.Or(os.Getenv(variable), "https://s3.amazonaws.com"))
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.Path != "" && u.Path != "/" || u.User != nil {
		return "", false, fmt.Errorf("%s: want a URL as in https://s3.example.com", variable)
	}
	if ip := net.ParseIP(u.Hostname()); u.Scheme == "http" && u.Hostname() != "localhost" && !ip.IsLoopback() {
		return "", false, fmt.Errorf("%s: http is for this host only; want https for %s", variable, u.Host)
	}
	return u.Host, u.Scheme == "https", nil
}

// key returns the key of an object.
func (s *Store) key(name string) (string, error) {
	if !fs.ValidPath(name) || name == "." {
		return "", fmt.Errorf("%q is no name of an object", name)
	}
	return s.prefix + name, nil
}

// failed names the object in an error, which is fs.ErrNotExist where there is none.
func (s *Store) failed(op, name string, err error) error {
	if err == nil {
		return nil
	}
	if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		err = fs.ErrNotExist
	}
	return &fs.PathError{Op: op, Path: Scheme + s.bucket + "/" + s.prefix + name, Err: err}
}

// Get implements store.Store.
func (s *Store) Get(ctx context.Context, name string) ([]byte, error) {
	key, err := s.key(name)
	if err != nil {
		return nil, err
	}
	object, err := s.client.GetObject(ctx, s.bucket, key, minio.GetObjectOptions{})
	if err != nil {
		return nil, s.failed("get", name, err)
	}
	defer object.Close()
	data, err := io.ReadAll(io.LimitReader(object, store.MostBytes+1))
	if err == nil && len(data) > store.MostBytes {
		err = store.ErrLarge
	}
	if err != nil {
		return nil, s.failed("get", name, err)
	}
	return data, nil
}

// Put implements store.Store.
func (s *Store) Put(ctx context.Context, name string, data []byte) error {
	return s.put(ctx, name, data, minio.PutObjectOptions{})
}

// PutIfAbsent implements store.Store.
func (s *Store) PutIfAbsent(ctx context.Context, name string, data []byte) (written bool, err error) {
	var options minio.PutObjectOptions
	options.SetMatchETagExcept("*")
	err = s.put(ctx, name, data, options)
	switch minio.ToErrorResponse(unwrap(err)).StatusCode {
	case http.StatusPreconditionFailed, http.StatusConflict: // it is there, or somebody is about to write it
		return false, nil
	}
	return err == nil, err
}

// unwrap returns the error of the client.
func unwrap(err error) error {
	if e, ok := err.(*fs.PathError); ok {
		return e.Err
	}
	return err
}

// put writes an object in one request: an upload of several is not there as a whole or not at all for whoever is killed.
func (s *Store) put(ctx context.Context, name string, data []byte, options minio.PutObjectOptions) error {
	key, err := s.key(name)
	if err != nil {
		return err
	}
	options.DisableMultipart = true
	_, err = s.client.PutObject(ctx, s.bucket, key, bytes.NewReader(data), int64(len(data)), options)
	return s.failed("put", name, err)
}

// List implements store.Store.
func (s *Store) List(ctx context.Context, prefix string) (list []store.Info, err error) {
	if prefix != "" {
		if _, err := s.key(strings.TrimSuffix(prefix, "/")); err != nil {
			return nil, err
		}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop() // has the client end where it is
	for o := range s.client.ListObjects(ctx, s.bucket, minio.ListObjectsOptions{Prefix: s.prefix + prefix, Recursive: true}) {
		if o.Err != nil {
			return nil, s.failed("list", prefix, o.Err)
		}
		list = append(list, store.Info{Name: strings.TrimPrefix(o.Key, s.prefix), Size: o.Size, Modified: o.LastModified})
	}
	return list, ctx.Err()
}

// Delete implements store.Store.
func (s *Store) Delete(ctx context.Context, name string) error {
	key, err := s.key(name)
	if err != nil {
		return err
	}
	return s.failed("delete", name, s.client.RemoveObject(ctx, s.bucket, key, minio.RemoveObjectOptions{}))
}
