package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/label"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

// A pkg is a package whose tests are followed.
type pkg struct {
	path   string
	dir    string   // where the go command runs
	flags  []string // of the go command
	folder string   // of the package
	plans  bool     // are followed, too
	copies bool     // the program has the half of counting copies that is linked into programs

	labelled *label.Package
	source   *pathmap.Source
}

// read reads the sources of the package.
func (p *pkg) read() error {
	out, err := p.goCommand(append([]string{"list", "-f", "{{.Dir}}\n{{range .GoFiles}}{{.}}\n{{end}}"}, append(p.flags, p.path)...)...)
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	p.folder = lines[0]
	var files []string
	for _, l := range lines[1:] {
		files = append(files, filepath.Join(p.folder, l))
	}
	return p.label(files)
}

// label gives the files labels, as a product build does.
func (p *pkg) label(files []string) error {
	var sources []label.Source
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		sources = append(sources, label.Source{Name: name, Src: src})
	}
	var err error
	if p.labelled, err = label.Insert(p.path, sources); err != nil {
		return err
	}
	p.source, err = pathmap.Read(p.labelled.Table)
	return err
}

func (p *pkg) goCommand(args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = p.dir, append(os.Environ(), "GOWORK=off")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, errs.Bytes())
	}
	return out, nil
}

// analyze makes the graphs.
func (p *pkg) analyze() error {
	out, err := p.goCommand(append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}"}, append(p.flags, p.path)...)...)
	if err != nil {
		return err
	}
	exports := make(map[string]string)
	for l := range strings.Lines(string(out)) {
		k, v, _ := strings.Cut(strings.TrimSpace(l), "=")
		exports[k] = v
	}
	imports := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			path = "vendor/" + path
		}
		return os.Open(exports[path])
	})
	return p.source.Analyze(p.path, imports.(types.Importer))
}

// build builds the labelled test binary.
func (p *pkg) build(work string) (string, error) {
	overlay, err := p.overlay(work)
	if err != nil {
		return "", err
	}
	binary := filepath.Join(work, "labelled.test")
	_, err = p.goCommand(append([]string{"test", "-c", "-vet=off", "-overlay", overlay, "-o", binary}, append(p.flags, p.path)...)...)
	return binary, err
}

// overlay lays out what the labelled test binary is built from.
func (p *pkg) overlay(work string) (string, error) {
	if p.copies {
		return p.overlayForCopies(work)
	}
	replace := make(map[string]string)
	for name, src := range p.labelled.Files {
		to := filepath.Join(work, fmt.Sprintf("%d.go", len(replace)))
		if err := os.WriteFile(to, target.NameWhole(src, p.folder), 0o666); err != nil {
			return "", err
		}
		replace[name] = to
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(work, "overlay.json")
	return overlay, os.WriteFile(overlay, data, 0o666)
}

// buildExact builds the test binary that counts.
func (p *pkg) buildExact(goprofinstr, work string) (string, error) {
	binary := filepath.Join(work, "exact.test")
	args := append([]string{"wrap", "-mode=exact", "-pkg=" + p.path, "go", "test", "-c", "-vet=off", "-o", binary}, append(p.flags, p.path)...)
	cmd := exec.Command(goprofinstr, args...)
	cmd.Dir, cmd.Env = p.dir, append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("goprofinstr %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return binary, fix(binary)
}

// run runs a test binary in the folder of the package.
func (p *pkg) run(binary string, args []string, env ...string) error {
	cmd := exec.Command(binary, args...)
	cmd.Dir = p.folder
	cmd.Env = append(append(os.Environ(), "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1,randautoseed=0", "GOGC=off"), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(binary), err, out[max(0, len(out)-6000):])
	}
	return nil
}
