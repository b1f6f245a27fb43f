package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/cli"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/completion"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/notices"
)

// A file is one in an archive.
type file struct {
	mode int64
	data []byte
}

// files returns what is in the archive besides folders, by name.
func (e *executable) files(clone string) (map[string]file, error) {
	text := func(s string) file { return file{0o644, []byte(s)} }
	files := map[string]file{
		e.program():                    {0o755, e.data},
		"NOTICES":                      text(notices.Text),
		"man/man1/goprofinstr.1":       text(cli.ManPage(e.version, e.commit.Format("2006-01-02"))),
		"completions/goprofinstr.bash": text(completion.Scripts["bash"]),
		"completions/_goprofinstr":     text(completion.Scripts["zsh"]),
		"completions/goprofinstr.fish": text(completion.Scripts["fish"]),
	}
	names := []string{"LICENSE", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "RATIONALE.md"}
	docs, err := documents(clone)
	if err != nil {
		return nil, err
	}
	for _, name := range append(names, docs...) {
		data, err := os.ReadFile(filepath.Join(clone, name))
		if err != nil {
			return nil, err
		}
		files[name] = file{0o644, data}
	}
	return files, nil
}

// documents returns the names of what README leads to, with slashes: pages, and examples that pages use.
func documents(clone string) (names []string, err error) {
	for _, folder := range []string{"docs", "examples"} {
		err = errors.Join(err, fs.WalkDir(os.DirFS(clone), folder, func(name string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				names = append(names, name)
			}
			return err
		}))
	}
	return names, err
}

// program returns the name of the executable in the archive.
func (e *executable) program() string {
	if e.os == "windows" {
		return "goprofinstr.exe"
	}
	return "goprofinstr"
}

// archiveName returns the name of the archive.
func (e *executable) archiveName() string {
	if e.os == "windows" {
		return e.name() + ".zip"
	}
	return e.name() + ".tar.gz"
}

// pack returns an archive of files. Files are in the order of their names, have the time of the commit and no owner.
func (e *executable) pack(files map[string]file) ([]byte, error) {
	if e.os == "windows" {
		return e.zip(files)
	}
	return e.tar(files)
}

func (e *executable) tar(files map[string]file) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(z)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f := files[name]
		h := &tar.Header{
			Typeflag: tar.TypeReg, Name: path.Join(e.name(), name), Size: int64(len(f.data)), Mode: f.mode,
			ModTime: e.commit, Format: tar.FormatUSTAR,
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	err = z.Close()
	return b.Bytes(), err
}

func (e *executable) zip(files map[string]file) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) { return flate.NewWriter(out, flate.BestCompression) })
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f := files[name]
		h := &zip.FileHeader{Name: path.Join(e.name(), name), Method: zip.Deflate, Modified: e.commit}
		h.SetMode(os.FileMode(f.mode))
		in, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := in.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// writeSums writes checksums as sha256sum -c reads them.
func writeSums(out string, sums []string) error {
	slices.SortFunc(sums, func(a, b string) int { return bytes.Compare([]byte(a[65:]), []byte(b[65:])) })
	var b bytes.Buffer
	for _, line := range sums {
		b.WriteString(line)
	}
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), b.Bytes(), 0o666)
}
