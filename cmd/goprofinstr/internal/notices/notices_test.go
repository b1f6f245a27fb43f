package notices

import (
	"debug/buildinfo"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write notices.txt anew")

// systems are those that there are archives for (cmd/goprofinstr/internal/dist). Some modules are in one of them only.
var systems = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// TestComplete makes the file of what is linked on all systems, and compares.
func TestComplete(t *testing.T) {
	if testing.Short() {
		t.Skip("lists the packages of six systems")
	}
	want := compose(t)
	if *update {
		if err := os.WriteFile("notices.txt", []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		Text = want
	}
	if Text != want {
		t.Error("notices.txt is not what the licences of modules are: go test ./cmd/goprofinstr/internal/notices -update, and look at the difference")
	}
}

// TestExecutable holds the modules that the go command has noted in an executable against the notices.
func TestExecutable(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	name := filepath.Join(t.TempDir(), "goprofinstr")
	if out, err := exec.Command("go", "build", "-o", name, "../..").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	info, err := buildinfo.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if len(info.Deps) < 10 {
		t.Fatalf("%d modules in the executable", len(info.Deps))
	}
	licenses := Licenses()
	for _, m := range info.Deps {
		if licenses[m.Path] == "" {
			t.Errorf("%s is in the executable, and its licence is not in notices.txt", m.Path)
		}
	}
	for _, name := range []string{Std, Dagre} {
		if licenses[name] == "" {
			t.Errorf("the licence of %s is not in notices.txt", name)
		}
	}
}

// TestLicenses: what reads the file takes texts for texts.
func TestLicenses(t *testing.T) {
	text := Text
	defer func() { Text = text }()
	Text = "about\n" + rule + "\na.b/c: MIT (LICENSE)\na.b/d: MIT (x/LICENSE)\n\nyou: MAY (COPY)\n" + rule + "\na.b/c: BSD-3-Clause (y/LICENSE)\n\ntext\n"
	want := map[string]string{"a.b/c": "BSD-3-Clause AND MIT", "a.b/d": "MIT"}
	if got := Licenses(); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// compose returns the contents of notices.txt.
func compose(t *testing.T) string {
	var texts []string // in order
	modules := make(map[string][]string)
	add := func(module, name, file string) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.TrimSpace(strings.ReplaceAll(string(data), "\r\n", "\n"))
		if modules[text] == nil {
			texts = append(texts, text)
		}
		modules[text] = append(modules[text], fmt.Sprintf("%s: %s (%s)", module, identify(t, file, text), name))
	}
	for _, name := range []string{"LICENSE", "PATENTS"} {
		add(Std, name, filepath.Join(runtime.GOROOT(), name))
	}
	add(Dagre, "dagre.LICENSE", "../../../../export/page/assets/dagre.LICENSE")
	for _, m := range linked(t) {
		for _, name := range m.licenses(t) {
			add(m.path, filepath.ToSlash(name), filepath.Join(m.dir, name))
		}
	}
	var b strings.Builder
	b.WriteString("What is in the executable of goprofinstr besides its own code, and in its pages, with the licences.\n" +
		"The sources of a module are where its name says, and at any module proxy.\n")
	for _, text := range texts {
		fmt.Fprintf(&b, "%s\n%s\n\n%s\n", rule, strings.Join(modules[text], "\n"), text)
	}
	return b.String()
}

// A module is one that is linked, with the folders of the packages that are.
type module struct {
	path, dir string
	folders   []string
}

// linked returns the modules that are in the executable on any system, in order.
func linked(t *testing.T) (list []*module) {
	byPath := make(map[string]*module)
	for _, system := range systems {
		goos, goarch, _ := strings.Cut(system, "/")
		cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}",
			"../../../goprofinstr", "../../../gpi")
		cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			f := strings.Split(strings.TrimSpace(line), "\t")
			if len(f) != 3 {
				continue
			}
			m := byPath[f[0]]
			if m == nil {
				m = &module{path: f[0], dir: f[1]}
				byPath[f[0]], list = m, append(list, m)
			}
			m.folders = append(m.folders, f[2])
		}
	}
	slices.SortFunc(list, func(a, b *module) int { return strings.Compare(a.path, b.path) })
	return list
}

// licenses returns the licence files in the folders of the packages that are linked, and those above them, relative to
// the module.
func (m *module) licenses(t *testing.T) (names []string) {
	for _, folder := range m.folders {
		for dir := folder; ; dir = filepath.Dir(dir) {
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if name := strings.ToUpper(e.Name()); !e.IsDir() && !strings.HasSuffix(name, ".GO") && (strings.HasPrefix(name, "LICEN") ||
					strings.HasPrefix(name, "COPYING") || strings.HasPrefix(name, "NOTICE") || strings.HasPrefix(name, "PATENTS")) {
					rel, err := filepath.Rel(m.dir, filepath.Join(dir, e.Name()))
					if err != nil {
						t.Fatal(err)
					}
					names = append(names, rel)
				}
			}
			if dir == m.dir {
				break
			}
		}
	}
	if slices.Sort(names); len(names) == 0 {
		t.Errorf("%s has no licence in %s", m.path, m.dir)
	}
	return slices.Compact(names)
}

// identify returns the SPDX identifier of a licence.
func identify(t *testing.T, file, text string) string {
	text = strings.Join(strings.Fields(text), " ")
	for _, l := range []struct{ id, has string }{
		{"LicenseRef-patents", "Additional IP Rights Grant (Patents)"},
		{"MPL-2.0", "Mozilla Public License, version 2.0"},
		{"MPL-2.0", "Mozilla Public License Version 2.0"},
		{"Apache-2.0", "Apache License"},
		{"MIT", "Permission is hereby granted, free of charge"},
		{"BSD-3-Clause", "Neither the name of"},
		{"BSD-3-Clause", "may not be used to endorse or promote products"},
		{"BSD-2-Clause", "Redistribution and use in source and binary forms"},
	} {
		if strings.Contains(text, l.has) {
			return l.id
		}
	}
	if strings.HasPrefix(strings.ToUpper(filepath.Base(file)), "NOTICE") {
		return "LicenseRef-notice"
	}
	t.Errorf("%s: nobody knows this licence", file)
	return "LicenseRef-unknown"
}
