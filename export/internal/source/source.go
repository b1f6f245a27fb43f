// Package source finds and reads the source of functions in a profile.
//
// A profile has the names of files and the places of functions and blocks in them, but no text. What is read may
// therefore have changed since the run. A profile has a hash of each file, which tells. If wrap has run the
// program, it has noted a hash of each line of the main module's files. A function is where its lines are now.
// If some of them have gone, there are the others. A file that has changed, and of which there are no such
// hashes, is an error. The counts would not belong to its source.
//
// In profiles of an earlier goprofinstr, and in merged ones of sources that differ, the source is held against the table. Where
// a function's braces are not where they were, it is looked for further up and down. Where it is another function, there is an
// error. An edit that leaves all braces in place is not noticed then, so a File tells when it was modified.
//
// Files of the main module, or of the modules of a workspace, are looked for beneath its root. Wrap has noted down the root, or
// the command has found it. Others are looked for in the folder that `go list` names, run there. Nothing else is read, whatever
// a profile names, nor what links lead to from there: a profile may come from anybody.
package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/mod/module"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// maxSize is what is read of a file. No source is so large; a damaged profile may name anything.
const maxSize = 16 << 20

// listTimeout is how long go list may take. It answers in a tenth of a second, unless it wants to download what is gone.
const listTimeout = 5 * time.Second

// Files reads the sources of one profile, each once. It can be used by several goroutines at the same time.
type Files struct {
	root  string
	lines map[string][]byte    // LineSums of profile.Profile
	sums  map[string]table.Sum // Sums of it
	built bool                 // Built of it

	outside []string // packages outside the root, until the go command has been asked

	mu   sync.Mutex
	dirs map[string]string // of packages outside the root
	read map[string]*File
}

// File is a source file.
type File struct {
	Name     string // on this machine
	Text     string
	Lines    []string // without line ends
	Modified time.Time

	// Moved is by how many lines a function is further down than it was in the run. Text and Lines are then such that
	// its lines have the numbers of the run, and all of the file is in Whole.
	Moved int
	Whole string

	// Edited tells that lines of the run are not there any more. Those are empty in Text and Lines, which have the numbers
	// of the run. Now and Then tell where the others are.
	Edited bool

	Verified bool // the lines of the function are those of the run

	err    error
	run    *lineMap // nil if it is not known, or all lines are as they were
	edited *File
	moved  map[int]*File           // by Moved
	syntax func() (*syntax, error) // of Text, parsed once: pages ask for each function of a file
}

// New returns the sources of p.
func New(p *profile.Profile) *Files {
	s := &Files{
		root: p.Root, lines: p.LineSums, sums: p.Sums, built: p.Built,
		dirs: make(map[string]string), read: make(map[string]*File),
	}
	for _, pkg := range p.Packages {
		outside := slices.ContainsFunc(pkg.Functions, (*profile.Function).Outside)
		if outside && module.CheckImportPath(pkg.Path) == nil {
			s.outside = append(s.outside, pkg.Path)
		}
	}
	return s
}

// Function returns the file of f. The error says in a few words what is wrong with it. It has gone, or it has changed so that f
// is not there any more.
func (s *Files) Function(f *profile.Function) (*File, error) {
	at, err := s.find(f)
	if err != nil {
		return nil, err
	}
	file := s.file(at)
	if file.err != nil {
		return nil, file.err
	}
	if file.run != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if m := file.ofRun(f.Table); m != nil {
			return m, nil
		}
		return nil, gone(file, f)
	}
	if !file.has(f.Table) {
		if by, ok := file.find(f); ok {
			s.mu.Lock()
			defer s.mu.Unlock()
			return file.move(by), nil
		}
		return nil, gone(file, f)
	}
	return file, nil
}

func gone(file *File, f *profile.Function) error {
	return fmt.Errorf("%s has changed since the run: %s is not on lines %d to %d any more",
		file.Name, path.Base(f.Table.Name), f.Table.Line, f.Table.EndLine)
}

// Whole returns the file of f as it is now, even if f is not in it any more.
func (s *Files) Whole(f *profile.Function) (*File, error) {
	at, err := s.find(f)
	if err != nil {
		return nil, err
	}
	file := s.file(at)
	return file, file.err
}

// A place is a file below a folder that sources may be read from.
type place struct {
	dir  string
	name string // relative to dir, and nowhere else whatever links there are
	file string // as tables have it
}

func (p place) path() string { return filepath.Join(p.dir, p.name) }

// find returns where f's file is on this machine. A table may name any file, and who shows a profile shows what
// it names. So only files beneath the root are taken, and those of the folder that the go command has for the
// package.
func (s *Files) find(f *profile.Function) (place, error) {
	file := filepath.FromSlash(f.Table.File)
	if filepath.Ext(file) != ".go" {
		return place{}, fmt.Errorf("%q is no Go file", f.Table.File)
	}
	if s.root == "" {
		return place{}, errors.New("the profile does not say where its sources are")
	}
	if filepath.IsAbs(file) {
		if rel, err := filepath.Rel(s.root, file); err == nil && filepath.IsLocal(rel) {
			return place{s.root, rel, f.Table.File}, nil
		}
		if dir, err := s.dir(f.Package); err == nil && dir == filepath.Dir(file) {
			return place{dir, filepath.Base(file), f.Table.File}, nil
		}
		return place{}, fmt.Errorf("%q is not beneath %s, and the go command does not know it as a file of package %s",
			file, s.root, f.Package)
	}
	if f.Outside() && f.Package == profile.FilesPackage {
		return place{s.root, path.Base(f.Table.File), f.Table.File}, nil
	}
	if f.Outside() {
		dir, err := s.dir(f.Package)
		return place{dir, path.Base(f.Table.File), f.Table.File}, err
	}
	if !filepath.IsLocal(file) {
		return place{}, fmt.Errorf("%q is not beneath %s", file, s.root)
	}
	return place{s.root, file, f.Table.File}, nil
}

// dir returns the folder of a package outside the root.
func (s *Files) dir(pkg string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listOutside()
	dir, ok := s.dirs[pkg]
	if !ok && module.CheckImportPath(pkg) != nil { // a name of a folder, or worse
		s.dirs[pkg] = ""
	} else if !ok {
		dir = strings.TrimSpace(s.list("{{.Dir}}", pkg))
		s.dirs[pkg] = dir
	}
	if dir == "" {
		return "", fmt.Errorf("go list does not know package %s in %s", pkg, s.root)
	}
	return dir, nil
}

// listOutside asks the go command for all packages of the profile at once: it takes as long as for one. What it does
// not tell then it is not asked again.
func (s *Files) listOutside() {
	if len(s.outside) == 0 {
		return
	}
	for _, pkg := range s.outside {
		s.dirs[pkg] = ""
	}
	for line := range strings.Lines(s.list("{{.ImportPath}}\t{{.Dir}}", s.outside...)) {
		if pkg, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			s.dirs[pkg] = dir
		}
	}
	s.outside = nil
}

// list returns what the go command says of packages, "" if it says nothing: why does not matter.
func (s *Files) list(format string, pkgs ...string) string {
	ctx, cancel := context.WithTimeout(context.Background(), listTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-e", "-find", "-f", format, "--"}, pkgs...)...)
	cmd.Dir = s.root
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOTOOLCHAIN=local") // what is not here is not fetched for this
	out, _ := cmd.Output()
	return string(out)
}

// file returns the file of a place, read at most once.
func (s *Files) file(at place) *File {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := at.path()
	if s.read[name] == nil {
		s.read[name] = read(at)
		s.verify(at, s.read[name])
	}
	return s.read[name]
}

// verify finds out whether a file is what ran. If it is not, and the profile has no hashes of its lines, it is of no use.
func (s *Files) verify(at place, f *File) {
	if f.err != nil {
		return
	}
	if at.dir == s.root {
		f.compare(s.lines[filepath.ToSlash(at.name)])
	}
	sum := s.sums[at.file]
	switch {
	case len(sum) == 0 || f.run != nil || f.Verified:
	case sum.Is([]byte(f.Text)):
		f.Verified = true
	case s.built:
		f.err = fmt.Errorf("%s has changed since the program was built: -src takes the sources of the build's commit", f.Name)
	default:
		f.err = fmt.Errorf("%s has changed since the run", f.Name)
	}
}

func read(at place) *File {
	f := &File{Name: at.path()}
	data, modified, err := contents(at)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s is not there any more", f.Name)
	}
	f.Text, f.Modified, f.err = string(data), modified, err
	f.Whole = f.Text
	f.syntax = sync.OnceValues(f.parse)
	f.Lines = strings.Split(f.Text, "\n")
	for i, l := range f.Lines {
		f.Lines[i] = strings.TrimSuffix(l, "\r")
	}
	return f
}

// contents reads a file. It follows links within the folder of the place, and refuses those that lead out of it.
func contents(at place) (data []byte, modified time.Time, err error) {
	root, err := os.OpenRoot(at.dir)
	if err != nil {
		return nil, modified, err
	}
	defer root.Close()
	isSource := func(info fs.FileInfo, err error) error {
		if err == nil && (!info.Mode().IsRegular() || info.Size() > maxSize) {
			return fmt.Errorf("%s is no source file", at.path())
		}
		return err
	}
	if err := isSource(root.Stat(at.name)); err != nil {
		return nil, modified, err
	}
	// It may have become a named pipe, which would block.
	f, err := root.OpenFile(at.name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, modified, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err := isSource(info, err); err != nil {
		return nil, modified, err
	}
	data, err = io.ReadAll(io.LimitReader(f, maxSize))
	return data, info.ModTime(), err
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

// Known reports whether the profile says where its sources are.
func (s *Files) Known() bool { return s.root != "" }
