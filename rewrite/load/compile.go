package load

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A Compilation is what the compiler reads to compile a package as it is.
type Compilation struct {
	Files        []string // absolute, in order
	ImportConfig []byte   // for -importcfg
	EmbedConfig  []byte   // for -embedcfg, with all patterns and none of their files; nil for a package without
}

// Compilation returns what the compiler reads for p, once LoadExports has found what p imports. It is not ok for packages of
// which other programs make a part, such as cgo. Nor is it for packages that import what is recompiled for a test.
func (b *Build) Compilation(p *packages.Package) (c *Compilation, ok bool) {
	var config bytes.Buffer
	for _, path := range slices.Sorted(maps.Keys(p.Imports)) {
		id := p.Imports[path].ID
		if id == "unsafe" {
			continue
		}
		file := b.Export(id)
		if file == "" || id != pathOf(id) {
			return nil, false
		}
		if id != path {
			fmt.Fprintf(&config, "importmap %s=%s\n", path, id)
		}
		fmt.Fprintf(&config, "packagefile %s=%s\n", id, file)
	}
	return &Compilation{p.GoFiles, config.Bytes(), embedConfig(p.Dir, p.EmbedPatterns)}, true
}

// embedConfig tells the compiler of patterns that match nothing. It looks for files when it generates code.
func embedConfig(dir string, patterns []string) []byte {
	if len(patterns) == 0 {
		return nil
	}
	config := struct {
		Patterns map[string][]string
		Files    map[string]string
	}{make(map[string][]string), make(map[string]string)}
	for _, p := range patterns {
		p = strings.TrimPrefix(p, dir+string(filepath.Separator)) // that go/packages has added
		config.Patterns[filepath.ToSlash(p)] = []string{}
	}
	data, err := json.Marshal(config)
	if err != nil {
		panic("BUG: cannot encode patterns: " + err.Error())
	}
	return data
}
