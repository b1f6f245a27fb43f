// Dist makes the archives of a version of goprofinstr: one for each of six systems, with a list of what is in it (an
// SBOM), and their checksums.
//
//	go run ./cmd/goprofinstr/internal/dist -o DIR
//
// It has to be run in a clone of the repository in which nothing has been changed. The version is that of the commit:
// v0.1.0 if it has this tag. The same commit and release of Go give the same bytes, whatever the clone is called and
// wherever it is; so anybody can find out whether archives are of the sources that they say.
//
//	go test ./cmd/goprofinstr/internal/dist -clones     # makes them in two clones, with caches of their own, and compares
//
//	go run ./cmd/goprofinstr/internal/dist -proxy DIR     # GOPROXY=file://DIR,… has this version then
//	go test ./cmd/goprofinstr/internal/dist -install      # installs it from there, and as a tool of another module
//
// Other modules have goprofinstr as a tool by way of a second module, in the folder tool. A version is two tags of one
// commit therefore: v0.1.0 and tool/v0.1.0.
//
// The steps are in function run. An archive has
//
//	goprofinstr_v0.1.0_linux_amd64/
//		goprofinstr                      # .exe for Windows
//		LICENSE  NOTICES  README.md  CHANGELOG.md  CONTRIBUTING.md  RATIONALE.md
//		docs/                            # the guide, the reference, and decisions
//		examples/                        # which the guide uses
//		man/man1/goprofinstr.1
//		completions/                     # for bash, fish and zsh
package main

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/module"
)

// systems are those that there are archives for.
var systems = []system{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

func main() {
	out := flag.String("o", "dist", "write to this folder, which is made")
	proxy := flag.String("proxy", "", "write what a module proxy has of this version to this folder, and no archives")
	only := flag.String("only", "", "make the archive of this system only, such as linux/amd64")
	flag.Parse()
	err := error(nil)
	if *proxy != "" {
		err = runProxy(".", *proxy)
	} else {
		err = run(".", *out, *only)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "dist: %v\n", err)
		os.Exit(1)
	}
}

// run makes the archives of the clone in a folder.
func run(clone, out, only string) error {
	if flag.NArg() > 0 {
		return fmt.Errorf("want no arguments, got %s", strings.Join(flag.Args(), " "))
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "goprofinstr-dist-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	var sums []string
	for _, s := range systems {
		if only != "" && only != s.String() {
			continue
		}
		executable, err := s.build(clone, work)
		if err != nil {
			return err
		}
		if err := checkVersion(clone, executable.version); err != nil {
			return err
		}
		sbom, err := executable.sbom()
		if err != nil {
			return err
		}
		files, err := executable.files(clone)
		if err != nil {
			return err
		}
		archive, err := executable.pack(files)
		if err != nil {
			return err
		}
		for name, data := range map[string][]byte{executable.archiveName(): archive, executable.name() + ".cdx.json": sbom} {
			if err := os.WriteFile(filepath.Join(out, name), data, 0o666); err != nil {
				return err
			}
			sums = append(sums, fmt.Sprintf("%x  %s\n", sha256.Sum256(data), name))
		}
		fmt.Println(executable.archiveName())
	}
	if sums == nil {
		return fmt.Errorf("-only %s: want one of %v", only, systems)
	}
	return writeSums(out, sums)
}

// checkVersion refuses to make archives of what is no version. A release has to be in the changelog.
func checkVersion(clone, version string) error {
	switch {
	case version == "" || version == "(devel)":
		return errors.New("the go command finds no version: run this in a clone with its .git folder, which a linked worktree has not")
	case strings.HasSuffix(version, dirty):
		return errors.New("files have been changed or added: commit them, or make a clean clone")
	case module.IsPseudoVersion(version):
		return nil
	}
	changes, err := os.ReadFile(filepath.Join(clone, "CHANGELOG.md"))
	if err == nil && !strings.Contains(string(changes), "\n## ["+strings.TrimPrefix(version, "v")+"] - ") {
		err = fmt.Errorf("CHANGELOG.md has no section of %s", version)
	}
	return err
}

// date returns the time of the commit, which all files have.
func date(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, text)
	return t.UTC(), err
}
