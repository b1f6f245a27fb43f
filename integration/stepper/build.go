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
	"regexp"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/label"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
	"github.com/goprofinstr/goprofinstr/rewrite/release"
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
	cold   bool     // functions begin cold there
	arch   string   // GOARCH, "" for the machine's
	reach  int64    // of jumps and calls in copies, bytes; 0 for as far as they do
	whole  bool     // windows may take all the time there is

	parts     []*part
	inlinable map[string]bool // functions that the compiler can inline, as pathmap.PlainName has them
}

// A part is what is compiled as one: the package with the test files of its own, and tests in a package beside it.
type part struct {
	path     string
	labelled *label.Package
	source   *pathmap.Source
}

// functions returns those of all sources.
func (p *pkg) functions() (list []*pathmap.Func) {
	for _, part := range p.parts {
		list = append(list, part.source.Funcs...)
	}
	return list
}

// read reads the sources of the package. Test files have labels, too, since functions are inlined into them.
func (p *pkg) read() error {
	out, err := p.goCommand(append([]string{"list", "-f",
		"{{.Dir}}\n{{range .GoFiles}}{{.}} {{end}}{{range .TestGoFiles}}{{.}} {{end}}\n{{range .XTestGoFiles}}{{.}} {{end}}\n" +
			"{{len .CgoFiles}}\n{{.ImportPath}}"},
		append(p.flags, p.path)...)...)
	if err != nil {
		return err
	}
	lines := strings.Split(string(out), "\n")
	p.folder, p.parts, p.path = lines[0], nil, lines[4] // the flag may be a folder
	for k, path := range []string{p.path, p.path + "_test"} {
		if files := strings.Fields(lines[k+1]); len(files) > 0 {
			part := &part{path: path}
			if err := part.read(p.folder, files); err != nil {
				return err
			}
			p.parts = append(p.parts, part)
		}
	}
	if lines[3] != "0" {
		return p.translate()
	}
	return nil
}

// translate reads what cgo makes of files of the package.
func (p *pkg) translate() error {
	out, err := p.goCommand(append([]string{"list", "-compiled", "-f", "{{range .CompiledGoFiles}}{{.}}\n{{end}}"},
		append(p.flags, p.path)...)...)
	if err != nil {
		return err
	}
	for _, name := range strings.Fields(string(out)) {
		if !filepath.IsAbs(name) {
			continue // a file of the package
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		p.parts[0].source.Translated = append(p.parts[0].source.Translated, text)
	}
	return nil
}

// read reads files and gives them labels, as a product build does.
func (p *part) read(folder string, files []string) error {
	var sources []label.Source
	for _, name := range files {
		name = filepath.Join(folder, name)
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
	out, _, err := p.goOutputs(args...)
	return out, err
}

// goOutputs runs the go command and returns what it writes to both outputs.
func (p *pkg) goOutputs(args ...string) (out, errs []byte, err error) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = p.dir, append(os.Environ(), "GOWORK=off")
	if p.arch != "" {
		cmd.Env = append(cmd.Env, "GOARCH="+p.arch, "CGO_ENABLED=0")
	}
	var second bytes.Buffer
	cmd.Stderr = &second
	if out, err = cmd.Output(); err != nil {
		return nil, nil, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, second.Bytes())
	}
	return out, second.Bytes(), nil
}

// analyze makes the graphs.
func (p *pkg) analyze() error {
	args := append([]string{"list", "-test", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}"}, p.flags...)
	out, err := p.goCommand(append(args, p.path)...)
	if err != nil {
		return err
	}
	exports := make(map[string]string)
	tested := " [" + p.path + ".test]"
	for l := range strings.Lines(string(out)) {
		k, v, _ := strings.Cut(strings.TrimSpace(l), "=")
		if plain, ok := strings.CutSuffix(k, tested); ok || exports[k] == "" {
			exports[plain] = v // what is compiled for the test is preferred
		}
	}
	version, err := p.goCommand("env", "GOVERSION")
	if err != nil {
		return err
	}
	compiler := release.Of(strings.TrimSpace(string(version))).Compiler
	for _, part := range p.parts {
		part.source.RangeNames = compiler.RangeNames
		imports := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
			if exports[path] == "" {
				path = "vendor/" + path
			}
			return os.Open(exports[path])
		})
		if err := part.source.Analyze(part.path, imports.(types.Importer)); err != nil {
			return fmt.Errorf("%s: %w", part.path, err)
		}
	}
	return nil
}

// build builds the labelled test binary.
func (p *pkg) build(work string) (string, error) {
	overlay, err := p.overlay(work)
	if err != nil {
		return "", err
	}
	binary := filepath.Join(work, "labelled.test")
	args := []string{"test", "-c", "-vet=off", "-gcflags=-m", "-overlay", overlay, "-o", binary}
	_, told, err := p.goOutputs(append(args, append(p.flags, p.path)...)...)
	p.readInlinable(told)
	return binary, err
}

// overlay lays out what the labelled test binary is built from.
func (p *pkg) overlay(work string) (string, error) {
	if p.copies {
		return p.overlayForCopies(work)
	}
	replace := make(map[string]string)
	for _, part := range p.parts {
		for name, src := range part.labelled.Files {
			to := filepath.Join(work, fmt.Sprintf("%d.go", len(replace)))
			if err := os.WriteFile(to, target.NameWhole(src, p.folder), 0o666); err != nil {
				return "", err
			}
			replace[name] = to
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(work, "overlay.json")
	return overlay, os.WriteFile(overlay, data, 0o666)
}

var canInline = regexp.MustCompile(`^\S.*: can inline (\S.*?)( with cost .*)?$`)

// readInlinable reads what the compiler tells with -m.
func (p *pkg) readInlinable(told []byte) {
	p.inlinable = make(map[string]bool)
	path := ""
	for l := range strings.Lines(string(told)) {
		l = strings.TrimSpace(l)
		if fields := strings.Fields(l); len(fields) > 1 && fields[0] == "#" {
			path = fields[1]
		} else if m := canInline.FindStringSubmatch(l); m != nil {
			p.inlinable[pathmap.PlainName(path+"."+m[1])] = true
		}
	}
}

// buildExact builds the test binary that counts.
func (p *pkg) buildExact(goprofinstr, work string) (string, error) {
	binary := filepath.Join(work, "exact.test")
	args := []string{"wrap", "-mode=exact", fmt.Sprintf("-atomic=%t", p.copies), "-pkg=" + p.path}
	args = append(append(args, "go", "test", "-c", "-vet=off", "-o", binary), append(p.flags, p.path)...)
	cmd := exec.Command(goprofinstr, args...)
	cmd.Dir, cmd.Env = p.dir, append(os.Environ(), "GOWORK=off")
	if p.arch != "" {
		cmd.Env = append(cmd.Env, "GOARCH="+p.arch, "CGO_ENABLED=0")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("goprofinstr %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	if p.arch != "" {
		return binary, nil // its random numbers are those of the emulator's seed
	}
	return binary, fix(binary)
}

// alone is the environment of programs that do the same each time.
var alone = []string{"GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1,randautoseed=0", "GOGC=off"}

// run runs a test binary in the folder of the package. If that fails, the error has the beginning and the end of its output: a
// program that crashes says first what it died of.
func (p *pkg) run(binary string, args []string, env ...string) error {
	cmd := p.command(binary, args, append(alone[:len(alone):len(alone)], env...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(binary), err, ends(out, 4000))
	}
	return nil
}

// ends returns the first n bytes of an output and the last n, or all of it.
func ends(out []byte, n int) []byte {
	if len(out) <= 2*n {
		return out
	}
	return slices.Concat(out[:n], []byte("\n...\n"), out[len(out)-n:])
}

// command returns the command that runs a test binary in the folder of the package.
func (p *pkg) command(binary string, args []string, env ...string) *exec.Cmd {
	cmd := exec.Command(binary, args...)
	cmd.Dir, cmd.Env = p.folder, append(os.Environ(), env...)
	return cmd
}
