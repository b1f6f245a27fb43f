package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/semver"
)

// categories are those of Keep a Changelog 1.1.0.
var categories = []string{"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}

var versionHeading = regexp.MustCompile(`^\[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$`)

// TestChangelog holds CHANGELOG.md against https://keepachangelog.com/en/1.1.0/.
func TestChangelog(t *testing.T) {
	data, err := os.ReadFile("../../../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems(string(data)) {
		t.Errorf("CHANGELOG.md: %s", problem)
	}
}

// problems returns what is not as it should be in a changelog.
func problems(text string) (list []string) {
	bad := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if !strings.HasPrefix(text, "# Changelog\n") || !strings.Contains(text, "keepachangelog.com") || !strings.Contains(text, "semver.org") {
		bad("it does not begin as others do")
	}
	last, section := "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "### "); ok && !slices.Contains(categories, name) {
			bad("%q is none of %v", name, categories)
		}
		name, ok := strings.CutPrefix(line, "## ")
		if !ok {
			continue
		}
		m := versionHeading.FindStringSubmatch(name)
		switch {
		case section == "" && name != "[Unreleased]":
			bad("the first section is %q, and should be [Unreleased]", name)
		case section != "" && m == nil:
			bad("heading %q: want one as [1.2.3] - 2026-01-31", name)
		case m != nil && last != "" && semver.Compare("v"+m[1], "v"+last) >= 0:
			bad("%s comes behind %s", m[1], last)
		}
		if section = name; m != nil {
			last = m[1]
		}
		if link, _, _ := strings.Cut(name, " "); !strings.Contains(text, "\n"+link+": https://") {
			bad("%s has no link below", link)
		}
	}
	return list
}

// TestProblems has changelogs that are not as they should be.
func TestProblems(t *testing.T) {
	const head = "# Changelog\nkeepachangelog.com semver.org\n"
	const links = "\n[Unreleased]: https://a\n[0.1.0]: https://b\n[0.2.0]: https://c\n"
	for text, want := range map[string]int{
		head + "## [Unreleased]\n## [0.2.0] - 2026-01-02\n### Added\n## [0.1.0] - 2026-01-01" + links: 0,
		head + "## [Unreleased]\n## [0.1.0] - 2026-01-01\n## [0.2.0] - 2026-01-02" + links:            1,
		head + "## [0.1.0] - 2026-01-01" + links:                                                      1,
		head + "## [Unreleased]\n### Manners" + links:                                                 1,
		head + "## [Unreleased]\n## 0.1.0" + links:                                                    2, // and no link
		head + "## [Unreleased]\n## [0.3.0] - 2026-01-01" + links:                                     1,
		"## [Unreleased]" + links:                                                                     1,
	} {
		if got := problems(text); len(got) != want {
			t.Errorf("%q: %q, want %d", text, got, want)
		}
	}
}
