// Package replay has the run data of tests that the go command does not run because it has their results in its cache.
//
// Each test binary is linked with an identity, which is in its run files, too. One with a new identity the go
// command has never seen, so it runs. One with the identity of an earlier run it runs, too, unless it has the result;
// then there are no run files with that identity when it ends, and those of the earlier run take their place.
//
//	t := replay.Begin(…)                // which have identities of earlier runs; nil if none may be replayed
//	… the go command runs, with t.Identities() …
//	cached, err := t.End(ending)        // puts run files in place, and keeps others
//
// So the go command alone decides what runs, by its own rules (go help test), and what we do not have, or have
// damaged, runs again. What is left is to make sure that an identity has one result: if a test with the
// identity of an earlier run runs again, the identity is not used any more. To have that seldom, there are runs for
// several states of the environment and files that a test looks at, told apart as the go command does (inputs.go).
//
// # Not handled
//
// Systems without mapped run files, flags of the linker for some packages only, -profile, and modes other
// than exact: there all tests run.
package replay

import (
	"bytes"
	"compress/flate"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/cache"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/child"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/results"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// Tests are those of a wrap.
type Tests struct {
	store *results.Store
	out   *profiledir.Dir
	env   environment
	list  []*test
	open  cache.Key // of the mark
}

// A test is the tests of a package.
type test struct {
	Place
	pattern  string    // for flags of the go command
	key      cache.Key // of what is known; zero if nothing is to be kept
	known    []result
	identity string
	earlier  *result // whose identity it has, nil if that is new
	files    []file  // of the earlier run
}

// A result is a run of a test binary that has passed.
type result struct {
	Identity string
	Log      []byte // what it has looked at
	Inputs   string // and what that was
}

// A file is a run file, compressed.
type file struct {
	Name string
	Data []byte
}

const (
	mostResults = 4        // of a test: as many states of what it looks at
	mostData    = 64 << 20 // bytes of the run files of a test, not compressed
)

// begin gives each test the identity of an earlier run, if the run data are there and what it looked at is as it was.
// The output directory is locked.
func (t *Tests) begin() *Tests {
	t.forgetOpen()
	var used []cache.Key
	results.InParallel(make([]int, len(t.list)), func(i int) { t.list[i].begin(t) })
	for _, p := range t.list {
		if p.earlier != nil {
			used = append(used, p.key)
		}
	}
	if !t.markOpen(used) {
		for _, p := range t.list {
			p.identity, p.earlier = newIdentity(), nil
		}
	}
	return t
}

func (p *test) begin(t *Tests) {
	p.identity = newIdentity()
	if p.key == (cache.Key{}) || !t.store.Get(p.key, &p.known) {
		return
	}
	for i := range p.known {
		r := &p.known[i]
		if now, ok := p.Inputs(r.Log, t.env); ok && now == r.Inputs && t.store.Get(p.dataKey(r.Identity), &p.files) {
			p.identity, p.earlier = r.Identity, r
			return
		}
	}
}

// dataKey returns the key of the run files of a run.
func (p *test) dataKey(identity string) cache.Key {
	h := cache.NewHash("run data")
	h.Add(string(p.key[:]), identity)
	return h.Key()
}

// newIdentity returns one that no other test binary has.
func newIdentity() string {
	var b [8]byte
	rand.Read(b[:])
	return fmt.Sprintf("%016x", b)
}

// While the go command runs there is a mark, with the keys of tests that have identities of earlier runs. If the wrap
// is killed the go command may have the result of another run with such an identity, whose data nobody has kept.

// forgetOpen forgets what is known of tests in the mark of a wrap that was killed.
func (t *Tests) forgetOpen() {
	var keys []cache.Key
	if !t.store.Get(t.open, &keys) {
		return
	}
	for _, k := range keys {
		t.store.Remove(k)
	}
	t.store.Remove(t.open)
}

// markOpen makes the mark. It is false if it cannot be made.
func (t *Tests) markOpen(keys []cache.Key) bool {
	if len(keys) == 0 {
		return true
	}
	t.store.Put(t.open, keys)
	var written []cache.Key
	return t.store.Get(t.open, &written) && slices.Equal(written, keys)
}

// Identities returns the identities of test binaries, by a pattern for the package.
func (t *Tests) Identities() map[string]string {
	if t == nil {
		return nil
	}
	m := make(map[string]string)
	for _, p := range t.list {
		m[p.pattern] = p.identity
	}
	return m
}

// End puts the run files of tests whose results the go command had into the place of those that they would have
// made, and keeps those of others that have passed. It returns how many tests were not run. failFast says that tests that
// fail keep others from running.
func (t *Tests) End(e child.Ending, failFast bool) (cached int, err error) {
	if t == nil {
		return 0, nil
	}
	ran, whole := t.ran()
	for _, p := range t.list {
		if runs := ran[p.identity]; len(runs) > 0 {
			p.keep(t, runs)
			continue
		}
		// The go command may have been asked to end, and all tests have passed before.
		if p.earlier == nil || (e.Interrupted || failFast) && e.Exit != 0 {
			continue
		}
		if err := p.replay(t.out); err != nil {
			return cached, err // the mark stays
		}
		cached++
		if !whole { // it may have run
			p.forget(t)
		}
	}
	t.store.Remove(t.open)
	return cached, nil
}

// ran returns the runs that there are, by identity. They are not whole if there is one that is not known.
func (t *Tests) ran() (runs map[string][]*rundata.Run, whole bool) {
	names, err := profiledir.Runs(t.out.Running())
	if err != nil {
		return nil, false
	}
	runs, whole = make(map[string][]*rundata.Run), true
	for _, name := range names {
		r, err := rundata.ReadTest(name)
		if err != nil {
			whole = false
			continue
		}
		if r.Identity == 0 { // nobody knows of which test
			whole = false
			continue
		}
		identity := fmt.Sprintf("%016x", r.Identity)
		runs[identity] = append(runs[identity], r)
	}
	return runs, whole
}

// keep keeps the data of a test that has run. The identity of an earlier run has two results now, so it is forgotten.
func (p *test) keep(t *Tests, runs []*rundata.Run) {
	if p.key == (cache.Key{}) {
		return
	}
	if p.earlier != nil {
		p.forget(t)
		return
	}
	at := slices.IndexFunc(runs, func(r *rundata.Run) bool { return r.Log != nil })
	if at < 0 { // it has failed, or the go command does not keep its result
		return
	}
	new := result{Identity: p.identity, Log: runs[at].Log}
	info, err := os.Stat(runs[at].Name)
	if err != nil {
		return
	}
	var ok bool
	if new.Inputs, ok = p.inputs(new.Log, t.env, info.ModTime()); !ok {
		return
	}
	files, ok := compress(runs)
	if !ok {
		return
	}
	t.store.Put(p.dataKey(p.identity), files)
	p.known = append([]result{new}, p.known...)
	for len(p.known) > mostResults {
		last := len(p.known) - 1
		t.store.Remove(p.dataKey(p.known[last].Identity))
		p.known = p.known[:last]
	}
	t.store.Put(p.key, p.known)
}

// forget forgets the identity of an earlier run, so that the test runs the next time.
func (p *test) forget(t *Tests) {
	p.known = slices.DeleteFunc(p.known, func(r result) bool { return r.Identity == p.identity })
	t.store.Remove(p.dataKey(p.identity))
	t.store.Put(p.key, p.known)
}

// compress reads run files. It is false if one cannot be read, or they are too large to be kept.
func compress(runs []*rundata.Run) (files []file, ok bool) {
	size := int64(0)
	for _, r := range runs {
		f, err := os.Open(r.Name)
		if err != nil {
			return nil, false
		}
		var b bytes.Buffer
		w, _ := flate.NewWriter(&b, flate.BestSpeed)
		n, err := io.Copy(w, io.LimitReader(f, mostData))
		f.Close()
		if size += n; err != nil || size >= mostData || w.Close() != nil {
			return nil, false
		}
		files = append(files, file{filepath.Base(r.Name), b.Bytes()})
	}
	return files, true
}

// replay puts the run files of the earlier run in their place.
func (p *test) replay(out *profiledir.Dir) error {
	running := &profiledir.Dir{Path: out.Running()}
	for _, f := range p.files {
		name := filepath.Base(f.Name)
		r := flate.NewReader(bytes.NewReader(f.Data))
		for n := 0; ; n++ { // processes of two computers may have the same name
			err := running.WriteRun(name, r)
			if !os.IsExist(err) || n > 8 {
				if err != nil {
					return err
				}
				break
			}
			name = "run." + strconv.Itoa(n) + name[len("run"):]
		}
	}
	return nil
}
