package target

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// compileError matches a line of the go command about a mistake in a Go file.
var compileError = regexp.MustCompile(`(?m)^(\S.*\.go):(\d+)(?::\d+)?: (.*)$`)

// Refused returns which features a toolchain does not compile, from what the go command said when it compiled packages with
// hooks. Each has the first line about it for a reason. Where no line is about a file of hooks it is all features.
func (h *Hooks) Refused(tc Toolchain, output string) (refused []Missing) {
	list := groups(tc, h.Has(Tests))
	list = slices.DeleteFunc(list, func(g group) bool { return !h.Has(g.feature) })
	for _, m := range compileError.FindAllStringSubmatch(output, -1) {
		base := filepath.Base(m[1])
		line, _ := strconv.Atoi(m[2])
		for _, g := range list {
			known := slices.ContainsFunc(refused, func(m Missing) bool { return m.Feature == g.feature })
			if !known && (g.files[base] != nil || h.inserted(tc, g, base, line)) {
				refused = append(refused, Missing{Feature: g.feature, File: g.folder + "/" + base, Why: m[3]})
			}
		}
	}
	if len(refused) > 0 {
		return refused
	}
	for _, g := range list {
		refused = append(refused, Missing{Feature: g.feature, File: g.folder, Why: Mistake(output)})
	}
	return refused
}

// Mistake returns the first mistake that the go command told when it compiled packages with hooks.
func Mistake(output string) string {
	const what = "it does not compile with hooks"
	for line := range strings.Lines(output) {
		if !strings.HasPrefix(line, "#") {
			return what + ": " + strings.TrimSpace(line)
		}
	}
	return what
}

// inserted reports whether a line of a file has a call of a group.
func (h *Hooks) inserted(tc Toolchain, g group, base string, line int) bool {
	text := h.Files[filepath.Join(tc.GOROOT, "src", filepath.FromSlash(g.folder), base)]
	lines := bytes.Split(text, []byte("\n"))
	if line < 1 || line > len(lines) {
		return false
	}
	return slices.ContainsFunc(g.calls, func(c call) bool {
		return c.file == base && bytes.Contains(lines[line-1], []byte(c.insert))
	})
}
