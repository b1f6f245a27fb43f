package covexport

import (
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/guess"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/covdata"
	"github.com/goprofinstr/goprofinstr/export/coverprofile"
	"github.com/goprofinstr/goprofinstr/export/fleet/archive"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// CheckCovdata refuses what Covdata cannot do, before anything is read.
func CheckCovdata(out, mode string) error {
	if !slices.Contains(coverprofile.Modes, mode) {
		return usage.Errorf("unknown -covermode %q%s; want one of %s", mode,
			guess.Hint(mode, "", coverprofile.Modes), strings.Join(coverprofile.Modes, ", "))
	}
	if out == "" {
		return usage.Errorf("-format covdata is a directory; want -o DIR")
	}
	return nil
}

// Covdata writes the profile in directory dir as coverage data to directory out.
func Covdata(out, mode, dir string, p *profile.Profile) error {
	files, err := sources(dir, p, true) // the order of extents is part of the data
	if err != nil {
		return err
	}
	if err := coverprofile.WriteZero(os.Stderr, coverprofile.MissingOf(files)); err != nil {
		return err
	}
	WarnUnknown(p)
	o := covdata.Options{Mode: mode, Modules: modulesOf(p, files), Order: initOrder(dir), Replace: export.Replace}
	if archive.Is(dir) {
		o.Archive = archive.Identity(dir)
	}
	return covdata.Write(out, p, files, o)
}

// modulesOf returns the path of the module of each package, as the go command has it.
func modulesOf(p *profile.Profile, files []coverprofile.Source) map[string]string {
	args := []string{"list", "-e", "-find", "-f", "{{.ImportPath}}\t{{with .Module}}{{.Path}}{{end}}", "--"}
	for i := range files {
		if s := &files[i]; !s.Local && !slices.Contains(args, s.Package) {
			args = append(args, s.Package)
		}
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = p.Root
	out, _ := cmd.Output() // of a package that it does not know there is no module in the program either
	modules := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		if pkg, module, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); ok {
			modules[pkg] = module
		}
	}
	return modules
}

// initOrder returns the packages of a run of a profile directory in the order of their initialisation, nothing for an
// archive.
func initOrder(dir string) (order []string) {
	runs, err := profile.ReadRuns(dir)
	if err != nil || len(runs) == 0 {
		return nil
	}
	for _, pkg := range runs[len(runs)-1].Packages {
		order = append(order, pkg.Path)
	}
	return order
}
