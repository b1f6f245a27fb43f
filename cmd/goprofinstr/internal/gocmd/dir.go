package gocmd

import (
	"os"
	"path/filepath"
	"runtime"
)

// FindDir gives Dir the name that the go command has for the folder of -C, if links lead there: by this name it lists the files
// that are to be replaced. It changes its folder and leaves PWD as it is, so the name is that of os.Getwd then: the
// folder's own, unless PWD is one of its names. Args has the folder as it was given.
func (c *Command) FindDir() {
	if c.Dir == "" || runtime.GOOS == "windows" { // which keeps the names of links
		return
	}
	lexical, err := filepath.Abs(c.Dir)
	if err != nil {
		return
	}
	own, err := ownName(c.Dir)
	if err != nil {
		return // the go command says what is wrong
	}
	name := own
	if pwd := os.Getenv("PWD"); filepath.IsAbs(pwd) && isSame(pwd, own) {
		name = pwd
	}
	if name != lexical || name != own {
		c.Dir = name
	}
}

// TempDir returns the absolute name of the folder for temporary files. A relative one is of Dir: so it is to the go command.
func (c *Command) TempDir() string {
	dir := os.TempDir()
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(c.Dir, dir)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	return abs
}

// DropDir takes -C off the command line, of a command that is to run in that folder.
func (c *Command) DropDir() { c.Dir, c.chdir = "", "" }

// ownName returns the absolute name of a folder with no link in it.
func ownName(dir string) (string, error) {
	if !filepath.IsAbs(dir) {
		here, err := os.Getwd()
		if err != nil {
			return "", err
		}
		if here, err = filepath.EvalSymlinks(here); err != nil {
			return "", err
		}
		dir = here + string(filepath.Separator) + dir // not cleaned: .. leads out of a folder, and not of a link to it
	}
	return filepath.EvalSymlinks(dir)
}

func isSame(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y)
}
