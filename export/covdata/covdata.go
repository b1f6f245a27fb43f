package covdata

import (
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/coverprofile"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// Options say what is written how.
type Options struct {
	Mode    string                                               // one of coverprofile.Modes
	Modules map[string]string                                    // path of the module of each package, by import path
	Order   []string                                             // packages in the order of their initialisation, as far as that is known
	Archive string                                               // tells its archive from others; "" of a profile directory
	Replace func(name string, write func(io.Writer) error) error // puts a file there, all of it or nothing
}

// Write writes the counts of a profile to directory dir, which it makes if there is none. Sources are the files that the
// profile has counts of.
func Write(dir string, p *profile.Profile, sources []coverprofile.Source, o Options) error {
	packages, err := packagesOf(sources, o.Modules)
	if err != nil {
		return err
	}
	if len(packages) == 0 {
		return coverprofile.ErrNoSources
	}
	inOrder(packages, o.Order)
	mode := counterModes[o.Mode]
	meta := encodeMeta(packages, mode)
	counters := encodeCounters(packages, mode, meta.hash, arguments(p))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	pid, nanoseconds := oldest(p)
	if o.Archive != "" {
		pid = numberOf(o.Archive)
	}
	for _, f := range []struct {
		name string
		data []byte
	}{
		{fmt.Sprintf("covmeta.%x", meta.hash), meta.data},
		{fmt.Sprintf("covcounters.%x.%d.%d", meta.hash, pid, nanoseconds), counters},
	} {
		write := func(w io.Writer) error { _, err := w.Write(f.data); return err }
		if err := o.Replace(filepath.Join(dir, f.name), write); err != nil {
			return err
		}
	}
	return nil
}

// oldest returns the process that began first, by which the file of the counters is called. So a profile that has got more runs
// takes the place of what it was.
func oldest(p *profile.Profile) (pid int, nanoseconds int64) {
	for _, r := range p.Runs {
		if n := r.Start.UnixNano(); n > 0 && (nanoseconds == 0 || n < nanoseconds) {
			pid, nanoseconds = r.Pid, n
		}
	}
	return pid, nanoseconds
}

// numberOf returns a number to name the file of an archive's counters by. Archives do not have the pids of processes, and two
// snapshots may be of the same process: both count. It fits an int of 32 bits, which go tool covdata reads.
func numberOf(archive string) int {
	h := fnv.New32a()
	io.WriteString(h, archive)
	return int(h.Sum32() >> 1)
}

// arguments are the command line, if there is only one: of several covdata would have none.
func arguments(p *profile.Profile) []string {
	if len(p.Runs) != 1 {
		return nil
	}
	return p.Runs[0].Args
}

// inOrder sorts packages in an order, and those that are not in it by their paths behind them.
func inOrder(packages []*pkg, order []string) {
	at := make(map[string]int)
	for i, path := range order {
		at[path] = i + 1
	}
	place := func(p *pkg) int {
		if i := at[p.path]; i > 0 {
			return i
		}
		return math.MaxInt
	}
	slices.SortStableFunc(packages, func(a, b *pkg) int { return place(a) - place(b) })
}

// A pkg is a package with what the cover tool says of it.
type pkg struct {
	path, name, module string
	functions          []*function
}

// A function is one declaration with all literals in it, or a literal that is in none.
type function struct {
	name, file string
	literal    bool
	extents    []coverprofile.Extent
	counts     []int64
}

// isExecuted reports whether there is anything to be written.
func (f *function) isExecuted() bool {
	return slices.ContainsFunc(f.counts, func(n int64) bool { return n > 0 })
}

// packagesOf returns the packages of files.
func packagesOf(sources []coverprofile.Source, modules map[string]string) (list []*pkg, err error) {
	counts := make(map[*profile.Function][]int64)
	for i := range sources {
		s := &sources[i]
		file, err := parse(s)
		if err != nil {
			return nil, err
		}
		if len(file.functions) == 0 {
			continue
		}
		if len(list) == 0 || list[len(list)-1].path != s.Package {
			list = append(list, &pkg{path: s.Package, name: file.pkg, module: modules[s.Package]})
		}
		file.addExtents(s, counts)
		last := list[len(list)-1]
		last.functions = append(last.functions, file.functions...)
	}
	return list, nil
}
