package instrument

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/cache"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/progress"
	"github.com/goprofinstr/goprofinstr/rewrite"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
)

// results are what this program has found out before, so that packages that have not changed are not analysed
// again.
type results struct {
	tc   *Toolchain
	dir  string                // our folder in the user's cache folder, or ""
	open func() (opened, bool) // false if there is no cache
}

type opened struct {
	*cache.Cache
	tool string // what tells this program from others and its earlier versions
}

// openResults opens the cache.
func openResults(tc *Toolchain) *results {
	r := &results{tc: tc}
	if dir, err := os.UserCacheDir(); err == nil {
		r.dir = filepath.Join(dir, "goprofinstr")
	}
	r.open = sync.OnceValues(func() (opened, bool) {
		tool, err := ownSum()
		if r.dir == "" || err != nil { // results of another version must not be taken for ours
			return opened{}, false
		}
		return opened{cache.Open(filepath.Join(r.dir, "results")), tool}, true
	})
	go r.open() // while the go command lists packages
	return r
}

// ownSum returns a hash of this program's executable. A version is not enough: that of a development build says nothing.
func ownSum() (string, error) {
	f, err := os.Open("/proc/self/exe") // it may have been replaced since it was started
	if err != nil {
		name, err := os.Executable()
		if err != nil {
			return "", err
		}
		if f, err = os.Open(name); err != nil {
			return "", err
		}
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return string(h.Sum(nil)), err
}

// hash starts the key of a result.
func (r *results) hash(kind string) *cache.Hash {
	c, _ := r.open()
	h := cache.NewHash(kind)
	h.Add(c.tool, r.tc.GOVERSION, r.tc.GOOS, r.tc.GOARCH)
	return h
}

// trim deletes old results.
func (r *results) trim() {
	if c, ok := r.open(); ok {
		c.Trim(filepath.Join(r.dir, inlineDir))
	}
}

// A result is a rewritten package.
type result struct {
	Table []byte            // encoded
	Files map[string][]byte // as of rewrite.Package

	Instrumented, Declined int // functions

	Unchecked bool // as of rewrite.Package
}

// A rewriting is the rewritten packages of a build.
type rewriting struct {
	results *results
	build   *load.Build
	options rewrite.Options
	keys    []cache.Key
	all     []*result // nil until known
}

// rewriting looks up what is in the cache.
func (r *results) rewriting(b *load.Build, o rewrite.Options) *rewriting {
	w := &rewriting{results: r, build: b, options: o, keys: make([]cache.Key, len(b.Packages)), all: make([]*result, len(b.Packages))}
	for i, p := range b.Packages {
		w.keys[i] = r.packageKey(b, p, o)
	}
	inParallel(sizes(b.Packages), func(i int) { w.all[i] = r.known(w.keys[i]) })
	return w
}

// missing returns the packages to be rewritten.
func (w *rewriting) missing() (list []*load.Package) {
	for i, p := range w.build.Packages {
		if w.all[i] == nil {
			list = append(list, p)
		}
	}
	return list
}

// run rewrites the packages that are missing, several at a time, when the export data of their imports is known. It returns all in order but the
// unparsed ones, which the go command complains of. The line shows how far it is.
func (w *rewriting) run(line *progress.Line) (all []*result, unparsed int, err error) {
	errs := make([]error, len(w.all))
	missing := len(w.missing())
	inParallel(sizes(w.build.Packages), func(i int) {
		if w.all[i] == nil {
			w.all[i], errs[i] = w.results.rewrite(w.build, w.build.Packages[i], w.options, w.keys[i])
			line.Step(missing, w.build.Packages[i].Path)
		}
	})
	if err := cmp.Or(errs...); err != nil {
		return nil, 0, err
	}
	parsed := slices.DeleteFunc(w.all, func(p *result) bool { return p == nil })
	return parsed, len(w.build.Packages) - len(parsed), nil
}

// inParallel calls f for each index of sizes, for the largest first: if it came last, the other processors would wait for it.
func inParallel(sizes []int, f func(i int)) {
	order := make([]int, len(sizes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(sizes[j], sizes[i]) })
	next := make(chan int)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	for _, i := range order {
		next <- i
	}
	close(next)
	wg.Wait()
}

// sizes returns the number of bytes in each package.
func sizes(list []*load.Package) []int {
	sizes := make([]int, len(list))
	for i, p := range list {
		for _, f := range p.Files {
			sizes[i] += len(f.Src)
		}
	}
	return sizes
}

// packageKey returns the key of a rewritten package.
func (r *results) packageKey(b *load.Build, p *load.Package, o rewrite.Options) cache.Key {
	sum := b.Sum(p)
	measured := o.Measured[p.Path]
	o.Sizes, o.Measured = nil, nil // sizes follow from GOARCH
	h := r.hash("package")
	h.Add(fmt.Sprintf("%+v", o), string(sum[:]), fmt.Sprintf("%v", measured)) // maps are printed in order
	return h.Key()
}

// known returns a result from the cache, or nil.
func (r *results) known(k cache.Key) *result {
	p := new(result)
	if !r.get(k, p) {
		return nil
	}
	return p
}

// rewrite rewrites a package and keeps the result; it returns nil for one that does not parse. What does not type-check is not kept: that may be the fault of
// what the package imports, or of how that was compiled.
func (r *results) rewrite(b *load.Build, p *load.Package, o rewrite.Options, k cache.Key) (*result, error) {
	if err := p.Parse(); err != nil {
		return nil, nil
	}
	defer p.Forget()
	rewritten, err := rewrite.Rewrite(b, p, o)
	if err != nil {
		return nil, err
	}
	out := &result{Files: rewritten.Files, Unchecked: rewritten.Unchecked}
	if out.Table, err = rewritten.Table.Encode(); err != nil {
		return nil, err
	}
	for _, f := range rewritten.Table.Functions {
		if f.Declined == "" {
			out.Instrumented++
		} else {
			out.Declined++
		}
	}
	if !out.Unchecked {
		r.put(k, out)
	}
	return out, nil
}

// get reads a value from the cache.
func (r *results) get(k cache.Key, value any) bool {
	c, ok := r.open()
	if !ok {
		return false
	}
	data, ok := c.Get(k)
	return ok && gob.NewDecoder(bytes.NewReader(data)).Decode(value) == nil
}

// put keeps a value in the cache.
func (r *results) put(k cache.Key, value any) {
	c, ok := r.open()
	if !ok {
		return
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(value); err != nil {
		panic(fmt.Sprintf("BUG: cannot encode a %T: %v", value, err))
	}
	c.Put(k, b.Bytes())
}
