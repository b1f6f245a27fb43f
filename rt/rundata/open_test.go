package rundata

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// TestReadFileErrors has what is no file, which is refused by name before it is opened.
func TestReadFileErrors(t *testing.T) {
	dir := t.TempDir()
	named := func(name string) string { return filepath.Join(dir, name) }
	if err := os.Mkdir(named("dir"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, link := range [][2]string{{"dir", "link"}, {os.DevNull, "device"}} {
		if err := os.Symlink(link[0], named(link[1])); err != nil {
			t.Skip(err)
		}
	}
	for name, want := range map[string]string{"dir": "is a directory", "link": "is a directory", "device": "is a device", "nothing": "nothing"} {
		_, err := ReadFile(named(name))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), named(name)) {
			t.Errorf("%s: %v, want an error with %q and the name", name, err, want)
		}
		if _, err := ReadWhole(named(name), 100); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s, read whole: %v, want an error with %q", name, err, want)
		}
	}
	file := named("file")
	if err := os.WriteFile(file, make([]byte, 100), 0o666); err != nil {
		t.Fatal(err)
	}
	if b, err := ReadWhole(file, 100); err != nil || len(b) != 100 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if _, err := ReadWhole(file, 99); err == nil || !strings.Contains(err.Error(), "at most 99") {
		t.Errorf("a file that is too long: %v", err)
	}
}

// TestSparse has a run file of 4 TB, almost all of which is holes. They are behind its records, in a half-made
// record, and where a header claims counters, a log or labels.
func TestSparse(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("holes are known on Linux only")
	}
	const size = 4 << 40
	last := v1(t)[5*page:] // a hash chunk
	for _, test := range []struct {
		name   string
		change func(b []byte)
		times  uint64 // that the last chunk is there
		want   string // in the error
	}{
		{"behind the records", func(b []byte) {}, 2, ""},
		{"half-made", func(b []byte) { put(b, 5, headMagic, 0) }, 1, ""},
		{"counters", func(b []byte) {
			put(b, 1, headSize, size-page)
			put(b, 1, headRegionSize, size-3*page)
			put(b, 1, packageCounters, size/8-4*page)
		}, 0, "counters"},
		{"log", func(b []byte) {
			put(b, 1, headKind, runfile.KindLog)
			put(b, 1, headSize, size-page)
			put(b, 1, logLength, size-2*page)
		}, 0, "bytes more than"},
		{"labels", func(b []byte) {
			put(b, 1, headKind, runfile.KindLabels)
			put(b, 1, headSize, size-page)
			put(b, 1, labelService, size-2*page)
		}, 0, "bytes more than"},
	} {
		name := filepath.Join(t.TempDir(), "run.1.1.gpi")
		b := v1(t)
		test.change(b)
		if err := os.WriteFile(name, b, 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteAt(last, size); err != nil {
			t.Skip(err)
		}
		if data := extents(f, size+page); len(data) == 1 && data[0].to-data[0].from >= size {
			t.Skip("this file system does not tell where holes are")
		}
		got, err := ReadFile(name)
		if test.want != "" {
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: %v, want an error with %q", test.name, err, test.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		want := wantV1()
		want.Name = name
		want.Packages[0].Hashes[2][8] *= test.times
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v", test.name, got.Packages[0])
		}
	}
}
