package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/version"
)

var clones = flag.Bool("clones", false, "make all archives in two clones, with caches of their own, and compare: some ten minutes")

// fake returns an executable that is none, with one module.
func fake(s system) *executable {
	return &executable{
		system: s, version: "v0.1.0", commit: time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC), data: []byte("executable"),
		info: &debug.BuildInfo{
			GoVersion: "go1.27.0",
			Main:      debug.Module{Path: version.Path, Version: "v0.1.0"},
			Deps:      []*debug.Module{{Path: "golang.org/x/mod", Version: "v0.42.0+a", Sum: "h1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}},
			Settings:  []debug.BuildSetting{{Key: "GOOS", Value: s.os}},
		},
	}
}

// packed returns the archive of an executable with the files of this repository.
func packed(t *testing.T, e *executable) []byte {
	t.Helper()
	files, err := e.files("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	data, err := e.pack(files)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestTar reads an archive as tar does.
func TestTar(t *testing.T) {
	e := fake(system{"linux", "amd64"})
	z, err := gzip.NewReader(bytes.NewReader(packed(t, e)))
	if err != nil {
		t.Fatal(err)
	}
	modes := make(map[string]int64)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if !h.ModTime.Equal(e.commit) || h.Uid != 0 || h.Uname != "" {
			t.Errorf("%s is of %v, of user %d %q", h.Name, h.ModTime, h.Uid, h.Uname)
		}
		data, err := io.ReadAll(r)
		if err != nil || len(data) == 0 {
			t.Errorf("%s: %d bytes, %v", h.Name, len(data), err)
		}
		modes[h.Name] = h.Mode
	}
	checkNames(t, slices.Collect(maps.Keys(modes)), "goprofinstr_v0.1.0_linux_amd64/", "goprofinstr")
	if modes["goprofinstr_v0.1.0_linux_amd64/goprofinstr"] != 0o755 || modes["goprofinstr_v0.1.0_linux_amd64/NOTICES"] != 0o644 {
		t.Errorf("modes: %v", modes)
	}
}

// TestZip reads an archive as Windows does.
func TestZip(t *testing.T) {
	e := fake(system{"windows", "arm64"})
	data := packed(t, e)
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range r.File {
		names = append(names, f.Name)
		if !f.Modified.Equal(e.commit) {
			t.Errorf("%s is of %v", f.Name, f.Modified)
		}
	}
	checkNames(t, names, "goprofinstr_v0.1.0_windows_arm64/", "goprofinstr.exe")
}

// checkNames checks what is in an archive.
func checkNames(t *testing.T, names []string, folder, program string) {
	t.Helper()
	for _, want := range []string{program, "LICENSE", "NOTICES", "README.md", "CHANGELOG.md", "RATIONALE.md", "docs/README.md", "docs/guide/start.md",
		"docs/reference/commands.md", "docs/design/counters.md", "examples/shop/main.go", "man/man1/goprofinstr.1",
		"completions/goprofinstr.bash", "completions/_goprofinstr", "completions/goprofinstr.fish"} {
		if !slices.Contains(names, folder+want) {
			t.Errorf("%s is missing in %v", want, names)
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return strings.HasPrefix(name, folder+"docs/") || strings.HasPrefix(name, folder+"examples/")
	})
	if len(names) != 11 {
		t.Errorf("%d files besides docs and examples: %v", len(names), names)
	}
}

// TestSBOM looks at what the standard demands and what scanners go by.
func TestSBOM(t *testing.T) {
	data, err := fake(system{"linux", "arm64"}).sbom()
	if err != nil {
		t.Fatal(err)
	}
	var b bom
	if err := json.Unmarshal(data, &b); err != nil {
		t.Fatal(err)
	}
	if len(b.Components) != 3 || len(b.Dependencies) != 1 || len(b.Dependencies[0].DependsOn) != 3 {
		t.Fatalf("%d components, %d dependencies\n%s", len(b.Components), len(b.Dependencies), data)
	}
	mod := b.Components[2]
	if mod.PURL != "pkg:golang/golang.org/x/mod@v0.42.0%2Ba" || mod.Licenses[0].Expression != "BSD-3-Clause" ||
		mod.Hashes[0].Content != "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f" {
		t.Errorf("%+v", mod)
	}
	if main := b.Metadata.Component; main.Version != "v0.1.0" || !strings.Contains(main.PURL, "goos=linux") || b.Metadata.Timestamp != "2026-01-02T03:04:06Z" {
		t.Errorf("%+v", b.Metadata)
	}
	for _, c := range b.Components {
		if c.Licenses[0].Expression == "" {
			t.Errorf("%s has no licence", c.Name)
		}
	}
	other := fake(system{"linux", "arm64"})
	other.info.Deps[0].Path = "example.com/none"
	if _, err := other.sbom(); err == nil || !strings.Contains(err.Error(), "example.com/none") {
		t.Errorf("a module without a licence: %v", err)
	}
}

// TestDagre: the SBOM has the version that the library itself says.
func TestDagre(t *testing.T) {
	data, err := os.ReadFile("../../../../export/page/assets/dagre.min.js")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(data, []byte(`"`+dagreVersion+`"`)) {
		t.Errorf("dagre.min.js is not version %s", dagreVersion)
	}
}

// TestCheck has executables that were built in another way than archives are.
func TestCheck(t *testing.T) {
	good := map[string]string{"CGO_ENABLED": "0", "-trimpath": "true", "GOAMD64": "v1", "vcs.time": "2026-01-02T03:04:06Z", "vcs.modified": "false"}
	for key, value := range map[string]string{"": "", "CGO_ENABLED": "1", "-trimpath": "", "GOAMD64": "v3", "GOEXPERIMENT": "x", "vcs.time": "now"} {
		settings := maps.Clone(good)
		if key != "" {
			settings[key] = value
		}
		e := fake(system{"linux", "amd64"})
		e.info.Settings = nil
		for key, value := range settings {
			e.info.Settings = append(e.info.Settings, debug.BuildSetting{Key: key, Value: value})
		}
		if err := e.check(); (err == nil) != (key == "") {
			t.Errorf("%s=%s: %v", key, value, err)
		}
	}
}

// TestVersions: what is no version, or not in the changelog, is refused.
func TestVersions(t *testing.T) {
	for of, want := range map[string]string{
		"":                                     "no version",
		"(devel)":                              "no version",
		"v0.1.0":                               "",
		"v0.99.0":                              "no section",
		"v1.0+dirty":                           "have been changed",
		"v0.1.1-0.20261125041947-0123456789ab": "",
		"v0.1.1-0.20261125041947-0123456789ab+dirty": "have been changed",
	} {
		err := checkVersion("../../../..", of)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", of, err, want)
		}
	}
}

// TestClones makes the archives of this commit in two clones, and compares them byte for byte.
func TestClones(t *testing.T) {
	if !*clones {
		t.Skip("compiles everything twelve times: -clones")
	}
	var made [2]map[string][]byte
	for i, name := range []string{"a", "another clone with a long name"} {
		made[i] = makeIn(t, filepath.Join(t.TempDir(), name))
	}
	if len(made[0]) != 13 {
		t.Errorf("%d files: %v", len(made[0]), slices.Sorted(maps.Keys(made[0])))
	}
	for name, data := range made[0] {
		if !bytes.Equal(data, made[1][name]) {
			t.Errorf("%s: %d bytes in one clone are not the %d of the other", name, len(data), len(made[1][name]))
		}
	}
	sums := exec.Command("sha256sum", "-c", "SHA256SUMS")
	if sums.Dir = t.TempDir(); sums.Err != nil {
		t.Skip(sums.Err)
	}
	for name, data := range made[0] {
		if err := os.WriteFile(filepath.Join(sums.Dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := sums.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// makeIn makes the archives in a new clone and returns what is written, by name.
func makeIn(t *testing.T, clone string) map[string][]byte {
	run := func(dir, name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOCACHE="+clone+".cache")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, out)
		}
	}
	root, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	run(".", "git", "clone", "--quiet", "--no-hardlinks", root, clone)
	run(clone, "go", "run", "./cmd/goprofinstr/internal/dist", "-o", clone+".out")
	files := make(map[string][]byte)
	entries, err := os.ReadDir(clone + ".out")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(clone+".out", e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}
