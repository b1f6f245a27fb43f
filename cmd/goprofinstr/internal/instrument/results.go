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

// rewriteAll rewrites the packages that it does not find in the cache, several at a time, and returns all in order but the unparsed ones,
// which the go command complains of.
func (r *results) rewriteAll(b *load.Build, o rewrite.Options) (all []*result, unparsed int, err error) {
	keys := make([]cache.Key, len(b.Packages))
	for i, p := range b.Packages {
		keys[i] = r.packageKey(b, p, o)
	}
	all = make([]*result, len(b.Packages))
	errs := make([]error, len(b.Packages))
	inParallel(b.Packages, func(i int, _ *load.Package) { all[i] = r.known(keys[i]) })
	var missing []*load.Package
	for i, p := range b.Packages {
		if all[i] == nil {
			missing = append(missing, p)
		}
	}
	if err := b.LoadExports(missing); err != nil {
		return nil, 0, err
	}
	inParallel(b.Packages, func(i int, p *load.Package) {
		if all[i] == nil {
			all[i], errs[i] = r.rewrite(b, p, o, keys[i])
		}
	})
	if err := cmp.Or(errs...); err != nil {
		return nil, 0, err
	}
	parsed := slices.DeleteFunc(all, func(p *result) bool { return p == nil })
	return parsed, len(b.Packages) - len(parsed), nil
}

// inParallel calls f for each package, for the largest first: if it came last, the other processors would wait for it.
func inParallel(packages []*load.Package, f func(i int, p *load.Package)) {
	order := make([]int, len(packages))
	for i := range order {
		order[i] = i
	}
	size := func(p *load.Package) (n int) {
		for _, f := range p.Files {
			n += len(f.Src)
		}
		return n
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(size(packages[j]), size(packages[i])) })
	next := make(chan int)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				f(i, packages[i])
			}
		})
	}
	for _, i := range order {
		next <- i
	}
	close(next)
	wg.Wait()
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
