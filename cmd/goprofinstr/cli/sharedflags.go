package cli

import (
	"path/filepath"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
)

// Flags that several commands have.

// printFlags are those about the go command that is run.
func printFlags(n, x *bool) []flags.Flag {
	return []flags.Flag{
		{Name: "n", Var: n, Usage: "print the go command and do not run it"},
		{Name: "x", Var: x, Usage: "print the go command and run it"},
	}
}

// currentFolder says in the help of commands that run a go command which folder the names of files are relative to. The go
// command changes to that of -C before it reads its other flags, and ours are before -C.
const currentFolder = `With -C DIR of the go command, files that its flags name, and folders that -pkg selects, are relative to DIR. Files and
folders that other flags of goprofinstr name are relative to the current folder.`

// keepFlag is the flag about the temporary folder.
func keepFlag(work *bool) flags.Flag {
	return flags.Flag{Name: "work", Var: work, Usage: "print the name of the temporary folder and keep it"}
}

// outputFile is the flag -o of commands that print something.
func outputFile(name *string) flags.Flag {
	return flags.Flag{Name: "o", Value: "FILE", Var: name, Usage: "write to FILE instead of standard output"}
}

// sourceFolder is the flag -src of commands that show sources.
func sourceFolder(dir *string) flags.Flag {
	return flags.Flag{Name: "src", Value: "DIR", Var: dir,
		Usage: "the module or workspace of the sources, as they were built, if these are not where they were, nor here"}
}

// checkPatterns refuses patterns of -pkg that the go command does not take for -coverpkg either.
func checkPatterns(patterns []string) error {
	for _, p := range patterns {
		if filepath.IsAbs(p) {
			return usage.Errorf("-pkg %s: want import paths, as in example.com/m/..., or folders, as in ./...", p)
		}
	}
	return nil
}

// fields splits a list at commas.
func fields(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}
