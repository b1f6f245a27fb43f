package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/goprofinstr/goprofinstr/rewrite"
	"github.com/goprofinstr/goprofinstr/rewrite/inline"
	"github.com/goprofinstr/goprofinstr/rewrite/label"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/rewrite/release"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

// A build is a go command that makes a program.
type build struct {
	dir      string   // where it runs
	args     []string // go, the verb, flags and packages, without -o
	patterns []string // packages that get labels; none are those of the main module
	out      string   // absolute

	tables  []*label.Table // of packages with labels; set by overlay
	symbols []string       // what symbols of these begin with
}

// labelled builds the program with labels, and returns what they are, for each package.
func (b *build) labelled() ([]*label.Table, error) {
	work, err := os.MkdirTemp("", "labels-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	overlay, err := b.overlay(work)
	if err != nil {
		return nil, err
	}
	return b.tables, b.run(b.out, "-overlay="+overlay)
}

// overlay writes sources with labels to a folder, and returns the file that tells the go command of them.
func (b *build) overlay(work string) (string, error) {
	listed, err := b.load()
	if err != nil {
		return "", err
	}
	joins, err := b.joinsLineNames()
	if err != nil {
		return "", err
	}
	overlay := target.Overlay{Replace: make(map[string]string)}
	for _, p := range listed.Packages {
		labelled, err := rewrite.Label(p)
		if err != nil {
			return "", fmt.Errorf("%s: %w", p.ID, err)
		}
		b.tables = append(b.tables, labelled.Table)
		if len(labelled.Files) > 0 {
			b.symbols = append(b.symbols, symbol(p)...)
		}
		for name, src := range labelled.Files {
			if joins {
				src = target.NameWhole(src, filepath.Dir(name))
			}
			file := filepath.Join(work, fmt.Sprintf("%d_%s", len(overlay.Replace), filepath.Base(name)))
			overlay.Replace[name] = file
			if err := os.WriteFile(file, src, 0o666); err != nil {
				return "", err
			}
		}
	}
	data, err := json.Marshal(overlay)
	if err != nil {
		return "", err
	}
	file := filepath.Join(work, "overlay.json")
	return file, os.WriteFile(file, data, 0o666)
}

// joinsLineNames reports whether the compiler takes names in line directives for relative to the file that it reads.
func (b *build) joinsLineNames() (bool, error) {
	cmd := exec.Command(b.args[0], "env", "GOVERSION")
	cmd.Dir = b.dir
	version, err := cmd.Output()
	if err != nil {
		return false, fmt.Errorf("go env GOVERSION: %w", err)
	}
	return release.Of(strings.TrimSpace(string(version))).Compiler.JoinsLineNames, nil
}

// symbol returns what symbols of a package begin with.
func symbol(p *load.Package) []string {
	path := strings.TrimSuffix(p.Path, "_test")
	f, err := parser.ParseFile(token.NewFileSet(), "", p.Files[0].Src, parser.PackageClauseOnly)
	if err == nil && f.Name.Name == "main" {
		return []string{"main"}
	}
	prefixes := slices.DeleteFunc(inline.Symbols(path), func(s string) bool { return s == "main" })
	for _, s := range prefixes {
		prefixes = append(prefixes, s+"_test")
	}
	return prefixes
}

// hasLabels reports whether a symbol is of a package with labels.
func (b *build) hasLabels(name string) bool {
	return slices.ContainsFunc(b.symbols, func(s string) bool { return inline.InPackage(name, s) })
}

// plain builds the program as it is.
func (b *build) plain(out string) error { return b.run(out) }

// run runs the go command with another output and more flags.
func (b *build) run(out string, flags ...string) error {
	if err := os.Remove(out); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	args := b.command(append(flags, "-o", out)...)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = b.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return nil
}

// command returns the go command with more flags.
func (b *build) command(flags ...string) []string {
	if b.args[1] == "test" {
		flags = append(flags, "-vet=off") // it would take our comments for the user's
	}
	return slices.Concat(b.args[:2], flags, b.args[2:])
}

// load lists the packages of the program, and reads those that get labels.
func (b *build) load() (*load.Build, error) {
	dir, err := filepath.Abs(b.dir)
	if err != nil {
		return nil, err
	}
	c := load.Config{
		Dir: dir, Env: os.Environ(), Tests: b.args[1] == "test", TestFiles: true,
		Source: new(target.Overlay).Source,
		Select: func(p *packages.Package) bool {
			matches := func(pattern string) bool { return load.Match(pattern, dir)(load.SubjectOf(p)) }
			return len(b.patterns) == 0 && load.InMain(p) || slices.ContainsFunc(b.patterns, matches)
		},
	}
	for _, arg := range b.args[2:] {
		switch {
		case arg == "-c":
		case strings.HasPrefix(arg, "-"):
			c.BuildFlags = append(c.BuildFlags, arg)
		default:
			c.Patterns = append(c.Patterns, arg)
		}
	}
	return load.Load(c)
}
