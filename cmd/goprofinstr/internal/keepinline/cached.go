package keepinline

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/cache"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/results"
	"github.com/goprofinstr/goprofinstr/rewrite/inline"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

// A Cached is an Inlining whose flags for the compiler are kept in the cache: to ask the compiler takes as long as
// `go test -c` of all packages without change.
type Cached struct {
	*Inlining
	store *results.Store
	build *load.Build
	user  *target.Overlay

	all      cache.Key // of the flags
	keep     bool      // under this key
	done     bool      // nothing is left to be found out
	frontEnd *frontEnd // nil if it is of no use
}

// Cached looks up what is in the cache. With off, there is nothing to preserve.
func (in *Inlining) Cached(store *results.Store, b *load.Build, user *target.Overlay, off bool) *Cached {
	all := &Cached{Inlining: in, store: store, build: b, user: user, done: off}
	if off {
		return all
	}
	known := make(map[string][]string)
	var err error
	if all.all, err = all.key(); err == nil && store.Get(all.all, &known) && profilesExist(known) {
		in.ours, all.done = known, true
	}
	all.keep = err == nil // if not, the compiler will report the file that cannot be read
	if !all.done && all.usable() {
		all.frontEnd = newFrontEnd(all)
	}
	return all
}

// Missing returns the packages of whose imports the export data is needed.
func (in *Cached) Missing() []*packages.Package {
	if in.frontEnd == nil {
		return nil
	}
	return in.frontEnd.missing()
}

// Export returns what makes the export data of a package as it is in a third of the time that the go command takes, once
// its imports have theirs; nil if nothing does.
func (in *Cached) Export() func(p *packages.Package) ([]byte, error) {
	f := in.frontEnd
	if f == nil && in.usable() { // what is inlined is known
		f = newFrontEnd(in)
	}
	if f == nil {
		return nil
	}
	return f.export
}

// CompileWith has the go command compile with an overlay, if it is needed, in place of the user's, which is part of it.
func (in *Cached) CompileWith(overlay string) { in.overlay = overlay }

// Prepare is that of Inlining. It waits until it is known whether there is export data, so that nothing is compiled twice.
func (in *Cached) Prepare(exports func() bool) {
	if in.done {
		return
	}
	if !exports() || in.frontEnd == nil || !in.partly() {
		in.Inlining.prepare(in.user)
	}
	if in.keep && len(in.Left) == 0 {
		in.store.Put(in.all, in.ours)
	}
}

// partly has the compiler's front end alone tell what is inlined. It is false if that is not enough.
func (in *Cached) partly() bool {
	plain, err := in.frontEnd.run()
	if err != nil { // of the compiler, which the go command will find again, or of ours
		return false
	}
	source := inline.Source{Compilations: plain, Packages: in.packages, Read: in.user.Source, Partial: true}
	edges, ok := inline.Edges(source)
	if ok {
		in.write(edges)
	}
	return ok
}

// key covers what the compiler reads and what it is told, and which calls are to be preserved.
func (in *Cached) key() (k cache.Key, err error) {
	sum := in.build.SumAll()
	h := in.store.Hash("inlining")
	h.Add(string(sum[:]), in.tc.Described(), in.cmd.Verb, in.store.Dir())
	h.Add(in.cmd.LoadFlags()...)
	h.Add("packages")
	h.Add(in.cmd.Packages...)
	for _, path := range slices.Sorted(maps.Keys(in.flags)) {
		h.Add("flags", path)
		h.Add(in.flags[path]...)
	}
	for _, p := range in.packages {
		h.Add("package", fmt.Sprintf("%+v", *p))
	}
	for _, name := range in.profileFiles() {
		data, err := os.ReadFile(name)
		if err != nil && !os.IsNotExist(err) {
			return k, err
		}
		h.Add("profile", name, string(data))
	}
	return h.Key(), nil
}

// profileFiles returns the files in which the user's profiles may be.
func (in *Cached) profileFiles() []string {
	if value, ok := in.tc.Lookup(in.cmd, "pgo"); ok && value != "auto" {
		if filepath.IsAbs(value) {
			return []string{value}
		}
		return []string{filepath.Join(in.cmd.Dir, value)}
	}
	var names []string
	for _, p := range in.roots {
		if p.Name == "main" && !load.IsTestMain(p) {
			names = append(names, filepath.Join(p.Dir, "default.pgo"))
		}
	}
	return names
}

// profilesExist reports whether the profiles that flags name are still there, and notes that they are used.
func profilesExist(flags map[string][]string) bool {
	for _, words := range flags {
		for _, w := range words {
			if name, ok := strings.CutPrefix(w, "-pgoprofile="); ok {
				if _, err := os.Stat(name); err != nil {
					return false
				}
				cache.Touch(name, time.Now())
			}
		}
	}
	return true
}
