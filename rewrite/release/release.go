// Package release knows what is not the same in all releases of Go, and what may be another in the next. These are
// the names of flags, messages of the compiler, and what Go's cover does. The package has one table, in table.go,
// with one entry for each release.
//
// What is here is what the go command, the compiler and Go's cover look like from outside. Of what else is known of Go's
// insides nothing differs between the releases of the table so far. It stands where it is needed, and a test
// holds each against the release that it runs with, or that a machine has:
//
//	what                                         where                                  held by
//	anchors in packages runtime and testing      rewrite/target/groups.go               TestHooksKeepLines, in each GOROOT
//	layout of internal/abi.ITab and Type         rt/event/layout.go                     TestLayout
//	places of g.m and m.id                       rt/tick/signal_amd64.go.txt            the compiler: they are unsafe.Offsetof
//	siginfo, the order of registers in signals   rt/tick/signal*.go.txt                 the kernel
//	names of test binaries                       cmd/goprofinstr/internal/coverage      TestTestBinaryNames
//
// What one release has in another way joins the table then. Package rt is linked into programs and cannot see the
// table: package target has to write it into what it puts into the overlay.
//
// Not here are work-arounds for what all releases do. They stand where they are needed, with the number:
// [golang.org/issue/73802] in cmd/goprofinstr/internal/gorun/refuse.go, and two about GOMODCACHE in package toolchain
// beside it. Nor is the one in rewrite/lower.go: the compiler of go1.26.8 failed with jumps in bodies of ranges over
// functions, in some generated programs. That a later one does not is not known, so no release gets them.
package release

import (
	"go/version"
	"slices"
	"strings"
)

// A Release is one release of Go with all of its revisions.
type Release struct {
	Lang      string // such as go1.26
	GoCommand GoCommand
	Compiler  Compiler
	Cover     Cover
}

// A GoCommand is what package gocmd and others have to know of `go help build`, `go help testflag` and cmd/go.
// Flags have no dashes.
type GoCommand struct {
	BoolFlags, ValueFlags         []string // of go build, run, install and test
	TestBoolFlags, TestValueFlags []string // of go test besides

	LoadFlags  []string // those that decide what a build has and how it is compiled; go list takes them too
	CoverFlags []string // those that turn Go's own coverage on

	// Analyzers are those that the -vet flag of go test takes, VetDefault those that go test runs without the flag.
	Analyzers, VetDefault []string

	DefaultLang string // for modules whose go.mod names none: cmd/go/internal/gover.DefaultGoModVersion

	// Settings are the variables of go env, besides those that all have, that decide what the go command builds,
	// and where it keeps that. The flags for the C compiler are left out, for which the go command would run it.
	Settings []string
}

// A Compiler is what cmd/compile says with -m, and takes with -d.
type Compiler struct {
	Inlines []string // what lines about inlining have in them; any text may follow, with -m=2
	Escapes []string // what lines about what escapes have, which come after all about inlining

	// A relative name in a line directive is one in the folder of the file that the compiler reads, which may be a
	// copy. Before go1.27 it was one in the folder of the package.
	JoinsLineNames bool

	// Function literals in the body of a range over a function are called F-range1.1, as those of the function that the
	// compiler makes of the body. Before go1.27 they were called F.func1.
	RangeNames bool

	// The names of -d for a profile that keeps calls inlined.
	Threshold string   // the percentage of all calls that are hot
	Budget    string   // the cost up to which hot calls are inlined
	Off       []string // what else the compiler would do with a profile
}

// Cover is what cmd/cover does.
type Cover struct {
	SplitsAtGaps bool     // a block ends at blank lines (package mark, Gaps)
	Uncovered    []string // packages that it leaves alone with -covermode=atomic, for its counters are made of them
}

// Of returns the entry of a release by its version, as of go env GOVERSION. A version that is newer than all is
// taken for the newest, and so is a development version.
func Of(goversion string) *Release {
	if !version.IsValid(goversion) {
		return Newest()
	}
	for _, r := range slices.Backward(table) {
		if version.Compare(goversion, r.Lang) >= 0 {
			return r
		}
	}
	return Oldest()
}

// Knows reports whether a version is of a release of the table, and no later one that is only taken for it.
func Knows(goversion string) bool {
	return version.IsValid(goversion) && version.Lang(goversion) == Of(goversion).Lang
}

// Oldest returns the oldest release that is supported.
func Oldest() *Release { return table[0] }

// Newest returns the newest release that is known.
func Newest() *Release { return table[len(table)-1] }

// Supports reports whether a version is not too old. A development version is new enough.
func Supports(goversion string) bool {
	return !version.IsValid(goversion) || version.Compare(goversion, Oldest().Lang) >= 0
}

// Names returns the releases of the table as a text, such as "go1.26 or go1.27".
func Names() string { return strings.Join(List(), " or ") }

// List returns the releases of the table by their language versions, the oldest first.
func List() (names []string) {
	for _, r := range table {
		names = append(names, r.Lang)
	}
	return names
}

// Flags returns the flags of the go command that some release has. Of which release the go command is, it can only be
// asked when its command line is understood.
func Flags(of func(*GoCommand) []string) (all []string) {
	for _, r := range table {
		for _, name := range of(&r.GoCommand) {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}
