// Package notices has the licences of what is in the executable of goprofinstr besides its own code: modules, the
// standard library, and the library that draws graphs in pages. Whoever hands the executable on has to hand them on too.
//
// The file notices.txt is made by the test, of the licence files in the module cache:
//
//	go test ./cmd/goprofinstr/internal/notices -update
//
// It has a section for each text. A section begins with a rule, and a line for each module that has this text:
//
//	--------------------------------------------------------------------------------
//	golang.org/x/mod: BSD-3-Clause (LICENSE)
//	golang.org/x/sys: BSD-3-Clause (LICENSE)
//
//	Copyright 2009 The Go Authors.
//	…
package notices

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
)

// Text has all licences.
//
//go:embed notices.txt
var Text string

// What is in the executable and is no module.
const (
	Std   = "Go standard library"
	Dagre = "dagre" // in the page
)

// rule is the line that a section begins with.
var rule = strings.Repeat("-", 80)

// entry matches the line of a module, with the module and the SPDX identifier of the licence.
var entry = regexp.MustCompile(`(?m)^(\S.*): ([A-Za-z0-9.-]+) \(\S+\)$`)

// Licenses returns the licence of each module as an expression of SPDX identifiers, such as "Apache-2.0 AND MIT".
// Notices and grants of patents belong to one of these.
func Licenses() map[string]string {
	ids := make(map[string][]string)
	for _, section := range strings.Split(Text, rule+"\n")[1:] {
		head, _, _ := strings.Cut(section, "\n\n")
		for _, m := range entry.FindAllStringSubmatch(head, -1) {
			if !strings.HasPrefix(m[2], "LicenseRef-") && !slices.Contains(ids[m[1]], m[2]) {
				ids[m[1]] = append(ids[m[1]], m[2])
			}
		}
	}
	all := make(map[string]string)
	for module, ids := range ids {
		slices.Sort(ids)
		all[module] = strings.Join(ids, " AND ")
	}
	return all
}
