package toolchain

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/rt"
)

// Lookup returns the value of a flag of the go command, from its command line or GOFLAGS.
func (tc *Toolchain) Lookup(c *gocmd.Command, name string) (value string, ok bool) {
	if value, ok = c.Lookup(name); ok {
		return value, ok
	}
	words, _ := gocmd.SplitQuoted(tc.GOFLAGS) // the go command says what is wrong with it
	for _, word := range words {
		flag, v, hasValue := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if strings.TrimPrefix(flag, "test.") == name {
			if !hasValue {
				v = "true"
			}
			value, ok = v, true
		}
	}
	return value, ok
}

// InGOFLAGS reports whether GOFLAGS has a flag, with whatever value.
func (tc *Toolchain) InGOFLAGS(name string) bool {
	_, ok := tc.Lookup(new(gocmd.Command), name)
	return ok
}

// Is reports whether a boolean flag is set on the command line or in GOFLAGS.
func (tc *Toolchain) Is(c *gocmd.Command, name string) bool {
	value, ok := tc.Lookup(c, name)
	return ok && gocmd.IsTrue(value)
}

// Runs reports whether the go command runs what it builds.
func (tc *Toolchain) Runs(c *gocmd.Command) bool {
	return c.Verb == "run" || c.Verb == "test" && !tc.Is(c, "c")
}

// LoadFlags returns the flags with which `go list` sees the packages of c, and the environment for it. A
// -modfile in GOFLAGS becomes a flag: go/packages also runs the go command outside of
// module mode, where it is an error.
func (tc *Toolchain) LoadFlags(c *gocmd.Command) (flags, env []string) {
	var others []string
	words, err := gocmd.SplitQuoted(tc.GOFLAGS)
	for _, word := range words {
		if name, ok := strings.CutPrefix(strings.TrimLeft(word, "-"), "modfile="); ok {
			flags = append(flags, "-modfile="+name)
		} else {
			others = append(others, word)
		}
	}
	goflags, err2 := gocmd.JoinQuoted(others)
	switch {
	case err != nil || err2 != nil: // the go command reads it otherwise
		flags, goflags = nil, tc.GOFLAGS
	case goflags == "" && tc.GOFLAGS != "":
		goflags = "-buildvcs=auto" // which is the default; where GOFLAGS is empty, that of go env -w counts
	}
	return append(flags, c.LoadFlags()...), append(os.Environ(), "GOFLAGS="+goflags)
}

// Last returns a value of -gcflags or -ldflags for no package. It comes behind those for single packages: the go command notes
// the last value in what it links, and a test binary must be the same whatever is tested beside it, or its result is not found.
func Last(flag string) string { return "-" + flag + "=" + gocmd.NoPackage + "=" }

// LinkedDir returns the flags for the linker to fill in the directory for the data of programs, so that those that are
// started without the environment variable find it. There are none if no quotation marks allow the directory's name.
func LinkedDir(dir string) []string {
	flags := []string{"-X", rt.LinkedDir + "=" + dir}
	if _, err := gocmd.JoinQuoted(flags); err != nil {
		return nil
	}
	return flags
}

// LinkFlags returns the flags for the go command that give flags of our own to the linker. The user's -ldflags are
// repeated among them, and are to be removed from the command line. The test binaries of some packages, by pattern,
// are given identities: for these, no value of the user's may have a pattern.
func (tc *Toolchain) LinkFlags(c *gocmd.Command, own []string, identities map[string]string) ([]string, error) {
	fill, err := gocmd.JoinQuoted(own)
	if err != nil {
		return nil, err
	}
	inVariable, given, err := tc.PackageFlags(c, "ldflags")
	if err != nil {
		return nil, err
	}
	flags := []string{"-ldflags=" + fill}
	for _, value := range slices.Concat(inVariable, given) {
		flags = append(flags, "-ldflags="+value+" "+fill)
	}
	all := strings.TrimPrefix(flags[len(flags)-1], "-ldflags=") // of those that match the last counts
	for _, pattern := range slices.Sorted(maps.Keys(identities)) {
		flags = append(flags, fmt.Sprintf("-ldflags=%s=%s -X %s=%s", pattern, all, rt.LinkedIdentity, identities[pattern]))
	}
	if len(identities) > 0 {
		flags = append(flags, Last("ldflags"))
	}
	return flags, nil
}

// PackageFlags returns the values of a flag of the go command that packages can have values of their own of: those
// in GOFLAGS, and those on the command line. Of several that match a package the go command takes the last.
func (tc *Toolchain) PackageFlags(c *gocmd.Command, name string) (inVariable, given []string, err error) {
	words, err := gocmd.SplitQuoted(tc.GOFLAGS)
	if err != nil {
		return nil, nil, fmt.Errorf("GOFLAGS: %v", err)
	}
	for _, word := range words {
		if value, ok := strings.CutPrefix(strings.TrimLeft(word, "-"), name+"="); ok {
			inVariable = append(inVariable, value)
		}
	}
	for _, flag := range c.Flags {
		if flag.Name == name {
			given = append(given, flag.Value)
		}
	}
	return inVariable, given, nil
}
