package lab

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"

	"github.com/goprofinstr/goprofinstr/integration/internal/tool"
)

// Flags are those of experiments that run programs. Each experiment adds the ones that it uses.
type Flags struct {
	Match       *regexp.Regexp // of -run
	Dir         string
	goprofinstr string
}

// AddRun adds -run, which matches everything if it is not given.
func (f *Flags) AddRun(fs *flag.FlagSet) {
	f.Match = regexp.MustCompile("")
	fs.Func("run", "only benchmarks whose \"suite package.name\" matches `REGEXP`", func(text string) (err error) {
		f.Match, err = regexp.Compile(text)
		return err
	})
}

// AddDir adds -dir.
func (f *Flags) AddDir(fs *flag.FlagSet) {
	fs.StringVar(&f.Dir, "dir", "", "`DIR` for modules and other files, for one evaluation at a time "+
		"(default goprofinstr-eval in the user's cache folder)")
}

// AddProgram adds -goprofinstr.
func (f *Flags) AddProgram(fs *flag.FlagSet) {
	fs.StringVar(&f.goprofinstr, "goprofinstr", "", "the `FILE` to measure (default is to build it)")
}

// Workshop makes the folders for all files, and goprofinstr.
func (f *Flags) Workshop(modes []Mode) (w *Workshop, err error) {
	if w, err = f.Folders(modes); err != nil {
		return nil, err
	}
	if f.goprofinstr != "" {
		w.Goprofinstr, err = filepath.Abs(f.goprofinstr)
	} else {
		w.Goprofinstr, err = tool.Build(w.Scratch)
	}
	if err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

// Folders makes a workshop without goprofinstr.
func (f *Flags) Folders(modes []Mode) (*Workshop, error) {
	dir, err := f.workDir()
	if err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp(dir, "scratch-")
	return &Workshop{Modes: modes, Dir: dir, Scratch: scratch}, err
}

// workDir makes the folder of -dir.
func (f *Flags) workDir() (string, error) {
	dir := f.Dir
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(cache, "goprofinstr-eval")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return dir, os.MkdirAll(dir, 0o777)
}
