// Package source finds and reads the source of functions in a profile.
//
// A profile has the names of files and the places of functions and blocks in them, but no text. What is read may
// therefore have changed since the run. It is held against the table: where a function's braces are not where they were, there
// is an error instead of a source that the counts do not belong to. An edit that leaves all of them in place is not noticed, so a
// File tells when it was modified.
//
// Files of the main module are looked for beneath its root, as wrap has noted it down, and others in the folder
// that `go list` names, run there.
package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// maxSize is what is read of a file. No source is so large; a damaged profile may name anything.
const maxSize = 16 << 20

// listTimeout is how long go list may take. It answers in a tenth of a second, unless it wants to download what is gone.
const listTimeout = 5 * time.Second

// Files reads the sources of one profile, each once. It can be used by several goroutines at the same time.
type Files struct {
	root string

	mu   sync.Mutex
	dirs map[string]string // of packages outside the main module
	read map[string]*File
}

// File is a source file.
type File struct {
	Name     string // on this machine
	Text     string
	Lines    []string // without line ends
	Modified time.Time

	err error
}

// New returns the sources of p.
func New(p *profile.Profile) *Files {
	return &Files{root: p.Root, dirs: make(map[string]string), read: make(map[string]*File)}
}

// Function returns the file of f. The error says in a few words what is wrong with it: it has gone, or it has changed so that f is not there any more.
func (s *Files) Function(f *profile.Function) (*File, error) {
	name, err := s.find(f)
	if err != nil {
		return nil, err
	}
	file := s.file(name)
	if file.err != nil {
		return nil, file.err
	}
	if !file.has(f.Table) {
		return nil, fmt.Errorf("%s has changed since the run: %s is not on lines %d to %d any more", name, path.Base(f.Table.Name), f.Table.Line, f.Table.EndLine)
	}
	return file, nil
}

// find returns the name of f's file on this machine.
func (s *Files) find(f *profile.Function) (string, error) {
	file := f.Table.File
	if filepath.Ext(file) != ".go" {
		return "", fmt.Errorf("%q is no Go file", file)
	}
	if filepath.IsAbs(file) {
		return file, nil
	}
	if s.root == "" {
		return "", errors.New("the profile does not say where its sources are")
	}
	if f.Outside() {
		dir, err := s.dir(f.Package)
		return filepath.Join(dir, path.Base(file)), err
	}
	if !filepath.IsLocal(filepath.FromSlash(file)) {
		return "", fmt.Errorf("%q is not beneath %s", file, s.root)
	}
	return filepath.Join(s.root, filepath.FromSlash(file)), nil
}

// dir returns the folder of a package outside the main module.
func (s *Files) dir(pkg string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	dir, ok := s.dirs[pkg]
	if !ok {
		ctx, cancel := context.WithTimeout(context.Background(), listTimeout)
		defer cancel()
		cmd := exec.CommandContext(ctx, "go", "list", "-e", "-find", "-f", "{{.Dir}}", "--", pkg)
		cmd.Dir = s.root
		cmd.Env = append(os.Environ(), "GOPROXY=off", "GOTOOLCHAIN=local") // what is not here is not fetched for this
		out, _ := cmd.Output()                                             // why there is none does not matter
		dir = strings.TrimSpace(string(out))
		s.dirs[pkg] = dir
	}
	if dir == "" {
		return "", fmt.Errorf("go list does not know package %s in %s", pkg, s.root)
	}
	return dir, nil
}

// file returns the file of a name, read at most once.
func (s *Files) file(name string) *File {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.read[name] == nil {
		s.read[name] = read(name)
	}
	return s.read[name]
}

func read(name string) *File {
	f := &File{Name: name}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.err = fmt.Errorf("%s is not there any more", name)
		return f
	case err != nil:
		f.err = err
		return f
	case !info.Mode().IsRegular() || info.Size() > maxSize:
		f.err = fmt.Errorf("%s is no source file", name)
		return f
	}
	data, err := os.ReadFile(name)
	f.Text, f.Modified, f.err = string(data), info.ModTime(), err
	f.Lines = strings.Split(f.Text, "\n")
	for i, l := range f.Lines {
		f.Lines[i] = strings.TrimSuffix(l, "\r")
	}
	return f
}

// has tells whether the file has f where the table says.
func (file *File) has(f *table.Function) bool {
	if f.Line < 1 || f.EndLine < f.Line || f.EndLine > len(file.Lines) {
		return false
	}
	if f.Body.Line != 0 && (file.at(f.Body.Line, f.Body.Col) != '{' || file.at(f.Body.EndLine, f.Body.EndCol-1) != '}') {
		return false
	}
	for _, b := range f.Blocks {
		if b.Line > 0 && (b.Line < f.Line || b.EndLine > f.EndLine || file.at(b.Line, b.Col) == 0) {
			return false
		}
	}
	return true
}

// at returns the byte at a line and column, a newline behind the last, 0 elsewhere.
func (file *File) at(line, col int) byte {
	if line < 1 || line > len(file.Lines) || col < 1 || col > len(file.Lines[line-1])+1 {
		return 0
	}
	if l := file.Lines[line-1]; col <= len(l) {
		return l[col-1]
	}
	return '\n'
}
