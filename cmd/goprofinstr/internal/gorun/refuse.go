package main

import (
	"errors"
	"go/scanner"
	"go/types"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/instrument"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
)

// refuse refuses what the go command would build without our code, or what this
// tool cannot follow, rather than drop it silently.
func refuse(by *command, c *gocmd.Command, tc *toolchain.Toolchain) error {
	for _, name := range gocmd.CoverFlags {
		// With any of these the go command instruments the files itself, from the originals: golang/go#73802.
		if _, ok := c.Lookup(name); ok || tc.InGOFLAGS(name) {
			return usagef("%s: the go command ignores instrumented files under -%s; run go %s with -%s without goprofinstr", by.name, name, c.Verb, name)
		}
	}
	if mode, _ := c.Lookup("buildmode"); slices.Contains([]string{"plugin", "c-archive", "c-shared", "shared"}, mode) {
		return usagef("%s: -buildmode=%s is not supported: the runtime needs a Go program of its own", by.name, mode)
	}
	if tc.InGOFLAGS("overlay") {
		return usagef("%s: -overlay in GOFLAGS is not supported; give it on the command line", by.name)
	}
	for _, p := range c.Packages {
		if c.Verb != "test" && strings.Contains(p, "@") {
			return usagef("%s: %s: packages of other modules, by version, are not supported; run in the module's own folder", by.name, p)
		}
	}
	return nil
}

// giveUp ends a command whose packages cannot be listed. The go command says what is wrong with
// them in its own words, and with its own exit code; only if it has nothing
// to say, the trouble is ours.
func (g *goRun) giveUp(by *command, trouble error) (int, error) {
	var usage *instrument.UsageError
	if errors.As(trouble, &usage) {
		return 0, usagef("%s: %v", by.name, usage)
	}
	if e, err := run(g.tc, g.cmd.Args(), g.work, nil); err != nil || e.exit != 0 {
		return e.exit, err
	}
	return 1, trouble
}

// giveUpAudit ends an audit that cannot be prepared. What does not compile the go command says in its own words,
// and positions of mistakes that are ours to tell are shown as it shows them.
func (g *goRun) giveUpAudit(trouble error) (exit int, err error) {
	var syntax scanner.ErrorList
	var typing types.Error
	var listing instrument.BrokenPackage
	var mistake *scanner.Error
	var usage *instrument.UsageError
	switch {
	case errors.As(trouble, &usage), errors.As(trouble, &syntax), errors.As(trouble, &typing),
		errors.As(trouble, &listing):
		return g.giveUp(auditCommand, trouble)
	case errors.As(trouble, &mistake):
		shown := *mistake
		shown.Pos.Filename = shortPath(g.cmd.Dir, shown.Pos.Filename)
		return 0, &shown
	}
	return 0, trouble
}
