// Package archive tests archives in a bucket.
package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/archive"
	"github.com/goprofinstr/goprofinstr/export/fleet/archive/store/s3"
	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
	"github.com/goprofinstr/goprofinstr/rt/rundata"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

var ctx = context.Background()

// bucket starts a server with an empty bucket, which the environment tells of, and returns its name.
func bucket(t *testing.T) string {
	backend := s3mem.New()
	if err := backend.CreateBucket("profiles"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "", "AWS_REGION": "us-east-1",
		"AWS_ENDPOINT_URL": server.URL, "AWS_ENDPOINT_URL_S3": "",
	} {
		t.Setenv(name, value)
	}
	return "s3://profiles/prod"
}

func open(t *testing.T, name string) *s3.Store {
	s, err := s3.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestStore writes, reads, lists and deletes, beside what others have in the bucket.
func TestStore(t *testing.T) {
	name := bucket(t)
	s, other := open(t, name), open(t, "s3://profiles/production")
	if err := other.Put(ctx, "a/b", []byte("other")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(ctx, "a/b"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing is there: %v", err)
	}
	for _, step := range []struct{ name, data string }{{"a/b", "1"}, {"a/b", "2"}, {"a/c@d~e", "3"}, {"ab", "4"}} {
		if err := s.Put(ctx, step.name, []byte(step.data)); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Get(ctx, step.name); err != nil || string(got) != step.data {
			t.Errorf("%s: %q, %v", step.name, got, err)
		}
	}
	for name, want := range map[string]bool{"a/b": false, "a/e": true} {
		if written, err := s.PutIfAbsent(ctx, name, []byte("5")); err != nil || written != want {
			t.Errorf("%s: written %v, %v", name, written, err)
		}
	}
	if got, err := s.Get(ctx, "a/b"); err != nil || string(got) != "2" {
		t.Errorf("overwritten with %q, %v", got, err)
	}
	for prefix, want := range map[string][]string{"a/": {"a/b", "a/c@d~e", "a/e"}, "": {"a/b", "a/c@d~e", "a/e", "ab"}, "none/": nil} {
		infos, err := s.List(ctx, prefix)
		var names []string
		for _, info := range infos {
			names = append(names, info.Name)
			if time.Since(info.Modified).Abs() > time.Hour {
				t.Errorf("%s was written at %v", info.Name, info.Modified)
			}
		}
		if err != nil || !slices.Equal(names, want) {
			t.Errorf("list of %q: %v, %v", prefix, names, err)
		}
	}
	for _, name := range []string{"a/b", "a/b", "never"} {
		if err := s.Delete(ctx, name); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.Get(ctx, "a/b"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it was deleted: %v", err)
	}
	if got, err := other.Get(ctx, "a/b"); err != nil || string(got) != "other" {
		t.Errorf("that of another: %q, %v", got, err)
	}
}

// TestOnce has many write an object at once if it is absent: one does.
func TestOnce(t *testing.T) {
	s := open(t, bucket(t))
	for round := range 10 {
		name := fmt.Sprint("days/", round)
		var wrote [8]bool
		var wait sync.WaitGroup
		for i := range wrote {
			wait.Go(func() {
				written, err := s.PutIfAbsent(ctx, name, []byte{byte(i)})
				if err != nil {
					t.Error(err)
				}
				wrote[i] = written
			})
		}
		wait.Wait()
		got, err := s.Get(ctx, name)
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

// TestMany lists more objects than a server tells of at a time.
func TestMany(t *testing.T) {
	s := open(t, bucket(t))
	for i := range 1100 {
		if err := s.Put(ctx, fmt.Sprintf("counts/%04d", i), []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	infos, err := s.List(ctx, "counts/")
	if err != nil || len(infos) != 1100 || infos[1099].Name != "counts/1099" {
		t.Errorf("%d objects, %v", len(infos), err)
	}
}

// runs returns runs of two days.
func runs() (list []archive.Run) {
	for i := range 40 {
		start := time.Date(2026, 1, 1+i%2, 12, 0, i, 0, time.UTC)
		p := &rundata.Package{Path: "a", Table: []byte("table"), Counters: []uint64{uint64(i), 0, 1}}
		list = append(list, archive.Run{
			Host: fmt.Sprint("web", i%3), Name: fmt.Sprint(i), Start: start, Service: "shop", Final: true,
			Tally: tally.Of(&rundata.Run{Packages: []*rundata.Package{p}}),
		})
	}
	return list
}

// TestArchive has the same runs in a bucket and in a directory. They must be the same builds, before and after several have
// compacted the bucket at once, and when everything is put again.
func TestArchive(t *testing.T) {
	name := bucket(t)
	if _, err := archive.Open(ctx, name); !errors.Is(err, archive.ErrNone) {
		t.Errorf("none is there: %v", err)
	}
	a, err := archive.Create(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := archive.Create(ctx, filepath.Join(t.TempDir(), "archive"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range runs() {
		if err := errors.Join(a.PutRun(ctx, r), dir.PutRun(ctx, r)); err != nil {
			t.Fatal(err)
		}
	}
	want, damaged, err := dir.Merge(ctx, archive.Select{})
	if err != nil || damaged != nil || len(want) != 1 || !bytes.Equal(want[0].Tally.Packages[0].Table, []byte("table")) {
		t.Fatalf("%+v, %v, %v", want, damaged, err)
	}
	same := func(when string) {
		t.Helper()
		got, damaged, err := a.Merge(ctx, archive.Select{})
		if err != nil || damaged != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: %+v\nwant %+v\ndamaged %v, error %v", when, got, want, damaged, err)
		}
	}
	same("put")
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if _, err := a.Compact(ctx, archive.Select{}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	same("compacted")
	again, err := archive.Open(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range runs()[:10] {
		if err := again.PutRun(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	same("put again")
	done, err := again.Compact(ctx, archive.Select{})
	if err != nil || done.Runs != 0 || done.Deleted < 10 {
		t.Errorf("%+v, %v", done, err)
	}
	same("compacted again")
	pruned, err := again.Prune(ctx, time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC))
	if err != nil || pruned.Objects != 1 || pruned.Tables != 0 {
		t.Errorf("%+v, %v", pruned, err)
	}
}

// TestDenied has a server that does not let anybody read an object of counts. That is no damage of it: nothing is left out.
func TestDenied(t *testing.T) {
	name := bucket(t)
	a, err := archive.Create(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range runs()[:4] {
		if err := a.PutRun(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	backend, err := url.Parse(os.Getenv("AWS_ENDPOINT_URL"))
	if err != nil {
		t.Fatal(err)
	}
	forward := httputil.NewSingleHostReverseProxy(backend)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "@2") {
			w.WriteHeader(http.StatusForbidden)
			io.WriteString(w, "<Error><Code>AccessDenied</Code><Message>Access Denied.</Message></Error>")
			return
		}
		forward.ServeHTTP(w, r)
	}))
	defer server.Close()
	t.Setenv("AWS_ENDPOINT_URL", server.URL)
	a, err = archive.Open(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	builds, damaged, err := a.Merge(ctx, archive.Select{})
	if err == nil || builds != nil || damaged != nil || !strings.Contains(err.Error(), "@2: Access Denied.") {
		t.Errorf("%d builds, damaged %v, error %v", len(builds), damaged, err)
	}
}

// TestGone has a server that is not there, and a bucket that is not: an error of a line, in a while.
func TestGone(t *testing.T) {
	bucket(t)
	if _, err := archive.Create(ctx, "s3://elsewhere"); err == nil {
		t.Error("no bucket: no error")
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := archive.Open(canceled, "s3://profiles"); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}
