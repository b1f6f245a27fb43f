// Package linker builds a linker for programs with counting copies, which places their text as that of plain programs.
//
// Code runs as fast as where it lies has it: by which of its loops are in one line of the cache, some benchmarks take a tenth more
// or less. So all text that is of goprofinstr, or is changed by it, lies behind all other text. The linker is that of the toolchain,
// with two lines of it changed and a file more (place.go.txt).
//
// Without it programs are linked by the toolchain's own, and count the same.
package linker

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/cache"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
)

//go:embed place.go.txt
var placing []byte

// A change puts text behind other text of a file of the linker, which occurs in it once.
type change struct{ after, text string }

var changes = []change{
	{"\t\treturn ldr.SymType(ctxt.Textp[i]) < ldr.SymType(ctxt.Textp[j])\n\t})", "; ctxt.goprofinstr_place()"},
	{"\tbig := false\n\tfor _, s := range ctxt.Textp {", " va = goprofinstr_skip(s, va);"},
}

// changed is the file, and folder where it is, under GOROOT.
const (
	folder  = "src/cmd/link/internal/ld"
	changed = "data.go"
)

// Names of files in the folder of records.
const (
	tool  = "link"
	plain = "plain"
)

// A Store keeps values by key.
type Store interface {
	Hash(kind string) *cache.Hash
	Get(k cache.Key, value any) bool
	Put(k cache.Key, value any)
}

// Make leaves two files in a folder: the linker, and the sizes that functions have in the plain program. These are functions of
// the packages that hooks change. Flags are those of the go command that builds packages. What was made for the same toolchain,
// packages and flags is taken from the store.
func Make(dir string, tc *toolchain.Toolchain, store Store, packages, flags []string) error {
	if tc.GOARCH != "amd64" || tc.GOOS != "linux" {
		return errors.New("text is placed on linux/amd64 only")
	}
	source, err := os.ReadFile(filepath.Join(tc.GOROOT, folder, changed))
	if err != nil {
		return err
	}
	if source, err = apply(source); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	h := store.Hash("linker of any processor") // GOAMD64 made others that some machines cannot run
	h.Add(tc.GOROOT, string(source), string(placing))
	program, err := kept(store, h.Key(), func() ([]byte, error) { return build(dir, tc, source) })
	if err != nil {
		return err
	}
	h = store.Hash("plain sizes")
	h.Add(tc.Described())
	h.Add(packages...)
	h.Add(flags...)
	sizes, err := kept(store, h.Key(), func() ([]byte, error) { return sizes(tc, packages, flags) })
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, plain), sizes, 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, tool), program, 0o777)
}

// Command returns a command for the linker in a folder. It is nil if there is none.
func Command(dir string, args []string) *exec.Cmd {
	name := filepath.Join(dir, tool)
	if _, err := os.Stat(name); err != nil {
		return nil
	}
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "GOPROFINSTR_PLAIN="+filepath.Join(dir, plain))
	return cmd
}

// kept returns what a store has, or what is made and kept then.
func kept(store Store, k cache.Key, make func() ([]byte, error)) (data []byte, err error) {
	if store.Get(k, &data) {
		return data, nil
	}
	if data, err = make(); err == nil {
		store.Put(k, data)
	}
	return data, err
}

// apply returns the changed file.
func apply(source []byte) ([]byte, error) {
	for _, c := range changes {
		if n := bytes.Count(source, []byte(c.after)); n != 1 {
			return nil, fmt.Errorf("the linker has %q %d times in %s", c.after, n, changed)
		}
		source = bytes.Replace(source, []byte(c.after), []byte(c.after+c.text), 1)
	}
	return source, nil
}

// build builds the linker.
func build(dir string, tc *toolchain.Toolchain, source []byte) ([]byte, error) {
	work, err := os.MkdirTemp(dir, "linker")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	at := filepath.Join(tc.GOROOT, folder)
	replace := make(map[string]string)
	for name, data := range map[string][]byte{changed: source, "goprofinstr_place.go": placing} {
		replace[filepath.Join(at, name)] = filepath.Join(work, name)
		if err := os.WriteFile(filepath.Join(work, name), data, 0o666); err != nil {
			return nil, err
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	file, out := filepath.Join(work, "overlay.json"), filepath.Join(work, tool)
	if err := os.WriteFile(file, overlay, 0o666); err != nil {
		return nil, err
	}
	cmd := exec.Command(tc.Go, "build", "-ldflags=-s -w", "-overlay="+file, "-o", out, "cmd/link")
	cmd.Dir = filepath.Join(tc.GOROOT, "src")
	cmd.Env = environ(tc)
	if text, err := tc.Helpers.CombinedOutput(cmd); err != nil {
		return nil, fmt.Errorf("%w: %s", err, text)
	}
	return os.ReadFile(out)
}

// environ returns the environment for the linker's build. The linker runs here, whatever it links for, and none of the user's
// flags are for it. Where a value is empty, the go command takes what go env -w has set: GOEXPERIMENT is a list of no names.
func environ(tc *toolchain.Toolchain) []string {
	return append(tc.HelperEnviron(), "GOFLAGS=-buildvcs=auto", "GOWORK=off", "CGO_ENABLED=0",
		"GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH, "GOAMD64=v1", "GOEXPERIMENT=,")
}

// sizes returns a line for each function of packages in the plain program: its size and its name. The size is -1 where several
// functions have the name, and 0 for one that the plain program always inlines, and hooks keep from that.
func sizes(tc *toolchain.Toolchain, packages, flags []string) ([]byte, error) {
	all := make(map[string]string)
	run := func(args ...string) (string, error) {
		cmd := exec.Command(tc.Go, args...)
		cmd.Env = tc.HelperEnviron()
		cmd.Dir = filepath.Join(tc.GOROOT, "src")
		out, err := tc.Helpers.Output(cmd)
		return string(out), err
	}
	files, err := run(slices.Concat([]string{"list", "-export", "-f", "{{.Export}}"}, flags, []string{"--"}, packages)...)
	if err != nil {
		return nil, err
	}
	for file := range strings.FieldsSeq(files) {
		list, err := run("tool", "nm", "-size", file)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(list) {
			if _, rest, ok := strings.Cut(line, ":\t"); ok { // the member of the archive, if it has several
				line = rest
			}
			f := strings.Fields(line) // an address, the size, the kind, and the name
			if len(f) < 4 || f[2] != "T" && f[2] != "t" {
				continue
			}
			name := strings.Join(f[3:], " ")
			if old, ok := all[name]; ok && old != f[1] {
				f[1] = "-1"
			}
			all[name] = f[1]
		}
	}
	all["runtime.dropg"] = "0"
	var b bytes.Buffer
	for name, size := range all {
		fmt.Fprintf(&b, "%s %s\n", size, name)
	}
	return b.Bytes(), nil
}
