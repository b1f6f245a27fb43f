package instrument

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/cache"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

// inlineDir is the folder of the compiler's profiles, in ours. They have names of their own, which are on
// command lines and so in the keys of the build cache.
const inlineDir = "inline"

// An inlined is an Inlining whose flags for the compiler are kept in the cache: to ask the compiler takes as long as `go test -c` of all
// packages without change.
type inlined struct {
	*Inlining
	results *results
	build   *load.Build
	user    *target.Overlay
}

func (r *results) inlining(in *Inlining, b *load.Build, user *target.Overlay) *inlined {
	return &inlined{in, r, b, user}
}

// prepare is that of Inlining.
func (in *inlined) prepare() {
	k, err := in.key()
	if err != nil { // which the original will report
		in.Inlining.prepare(in.user)
		return
	}
	known := make(map[string][]string)
	if in.results.get(k, &known) && profilesExist(known) {
		in.ours = known
		return
	}
	in.Inlining.prepare(in.user)
	if len(in.Left) == 0 {
		in.results.put(k, in.ours)
	}
}

// key covers what the compiler reads and what it is told, and which calls are to be preserved.
func (in *inlined) key() (k cache.Key, err error) {
	sum := in.build.SumAll()
	h := in.results.hash("inlining")
	h.Add(string(sum[:]), in.tc.all, in.cmd.Verb, in.results.dir)
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
func (in *inlined) profileFiles() []string {
	if value, ok := in.tc.lookup(in.cmd, "pgo"); ok && value != "auto" {
		if filepath.IsAbs(value) {
			return []string{value}
		}
		return []string{filepath.Join(in.cmd.Dir, value)}
	}
	var names []string
	for _, p := range in.roots {
		if p.Name == "main" && !isTestMain(p) {
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
