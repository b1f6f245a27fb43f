package replay

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A Place is where the tests of a package run.
type Place struct {
	Path string // import path of the package
	Dir  string
	Root string // of its module: files elsewhere do not matter to the go command
}

// An environment is that of the go command.
type environment map[string]string

func newEnvironment(list []string) environment {
	env := make(environment)
	for _, v := range list {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	return env
}

func (env environment) write(h io.Writer, name string) {
	value, set := env[name]
	fmt.Fprintf(h, "%t %q\n", set, value)
}

// logMagic begins the log of package testing.
const logMagic = "# test log\n"

// tooNew is the age that a file must have that a test has read, or the go command does not keep the result: it might be
// written again without its time being another.
const tooNew = 2 * time.Second

// Inputs returns a hash of the environment variables and files that a log names, as they are now: what
// computeTestInputsID in cmd/go/internal/test has in its hash. ok is false if it cannot be known.
func (p *Place) Inputs(log []byte, env environment) (sum string, ok bool) {
	return p.inputs(log, env, time.Time{})
}

// inputs is Inputs, and fails if a file was too new at a time.
func (p *Place) inputs(log []byte, env environment, at time.Time) (sum string, ok bool) {
	rest, ok := bytes.CutPrefix(log, []byte(logMagic))
	if !ok {
		return "", false
	}
	h := sha256.New()
	env.write(h, "GODEBUG") // package runtime looks at it, and tells nobody
	dir := p.Dir
	for line := range strings.Lines(string(rest)) {
		op, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !ok {
			return "", false
		}
		file := name
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		fmt.Fprintf(h, "%s %q ", op, name)
		switch op {
		case "getenv":
			env.write(h, name)
		case "chdir":
			dir = name
			writeStat(h, name)
		case "stat":
			if p.has(file) {
				writeStat(h, file)
			}
		case "open":
			if p.has(file) && !writeOpen(h, file, at) {
				return "", false
			}
		default:
			return "", false
		}
	}
	return string(h.Sum(nil)), true
}

// has reports whether a file is in the module.
func (p *Place) has(file string) bool {
	rel, err := filepath.Rel(p.Root, file)
	return p.Root != "" && err == nil && filepath.IsLocal(rel)
}

func writeStat(h io.Writer, name string) {
	info, err := os.Stat(name)
	writeInfo(h, info, err)
	info, err = os.Lstat(name)
	writeInfo(h, info, err)
}

// writeOpen is false if the file was too new.
func writeOpen(h io.Writer, name string, at time.Time) bool {
	info, err := os.Stat(name)
	writeInfo(h, info, err)
	switch {
	case err != nil:
	case info.IsDir():
		entries, err := os.ReadDir(name)
		fmt.Fprintln(h, err)
		for _, e := range entries {
			fmt.Fprintf(h, "%q ", e.Name())
			info, err := e.Info()
			writeInfo(h, info, err)
		}
	case info.Mode().IsRegular() && !at.IsZero():
		return at.Sub(info.ModTime()) >= tooNew
	}
	return true
}

func writeInfo(h io.Writer, info fs.FileInfo, err error) {
	if err != nil {
		fmt.Fprintln(h, err)
		return
	}
	fmt.Fprintf(h, "%d %x %d %t\n", info.Size(), uint64(info.Mode()), info.ModTime().UnixNano(), info.IsDir())
}
