//go:build amd64 || arm64 || riscv64

package rt_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

var liveRounds = flag.Int("live.rounds", 2, "run files that TestLiveFile has written and read at the same time")

// TestLiveFile reads and copies a run file while goroutines append to it as fast as they can. Each copy can be read, and has all
// that was there when it was begun.
func TestLiveFile(t *testing.T) {
	for round := range *liveRounds {
		dir := t.TempDir()
		w := &liveWriter{purge: round%2 == 1}
		stop := runfile.StartIn(dir)
		names, _ := filepath.Glob(filepath.Join(dir, "run.*"))
		if len(names) != 1 {
			t.Fatalf("run files: %v", names)
		}
		var writing, reading sync.WaitGroup
		var done atomic.Bool
		writing.Go(w.packages)
		for range 2 {
			writing.Go(w.paths)
		}
		writing.Go(w.contexts)
		for _, read := range []func(string) (*rundata.Run, error){
			rundata.ReadFile, copied, copiedByReadFile, copiedInPieces, new(livePoller).poll,
		} {
			reading.Go(func() {
				for last := false; !last && !t.Failed(); {
					last = done.Load()
					w.hold(t, names[0], read)
				}
			})
		}
		writing.Wait()
		done.Store(true)
		reading.Wait()
		stop()
	}
}

// A liveWriter writes records of all kinds that programs append while they run. What is there is counted after it is.
type liveWriter struct {
	purge bool // the tree is

	registered, executions, samples atomic.Uint64
	hash                            rt.Hash
}

const (
	livePackages = 1000
	livePaths    = 40_000
	liveNodes    = 60_000
)

// packages registers packages with tables of some pages.
func (w *liveWriter) packages() {
	rt.Register(&rt.Package{Path: "example.com/hash", Table: "t", Hashes: &w.hash, NHashes: 1})
	w.registered.Add(1)
	table := strings.Repeat("table", 3000)
	for i := range livePackages {
		rt.Register(&rt.Package{Path: fmt.Sprint("example.com/p", i), Table: table[:i*7%len(table)]})
		w.registered.Add(1)
	}
}

// paths counts in a Hash that grows, which another goroutine may have grow at the same time.
func (w *liveWriter) paths() {
	for i := range uint64(livePaths) {
		rt.Path(&w.hash, i<<20)
		w.executions.Add(1)
	}
}

// contexts grows a tree of calling contexts, in chunks as of the signal handler.
func (w *liveWriter) contexts() {
	const size = pcct.ChunkWords * 8
	head, _ := runfile.NewRecord(runfile.KindSampling, runfile.Page)
	sampling := (*runfile.SamplingRecord)(unsafe.Pointer(head))
	sampling.Samples, sampling.Stride = 1, 1
	head.Publish()
	tree, chunks := new(pcct.Tree), runfile.U(0)
	r := rand.New(rand.NewPCG(1, 2))
	known := []pcct.Ref{0}
	for i := range liveNodes {
		for tree.Hungry() {
			head, _ := runfile.NewRecord(runfile.KindContexts, size)
			if head == nil {
				return
			}
			record := (*runfile.ContextRecord)(unsafe.Pointer(head))
			record.RegionSize, record.Chunk = size, chunks
			record.Publish()
			chunks++
			tree.Feed(uintptr(unsafe.Pointer(record)))
		}
		location := tree.Location([]pcct.Frame{{Name: "example.com/p.f", File: "p.go", Line: int32(i)}})
		node := tree.Node(known[max(0, len(known)-1-r.IntN(3))], location)
		if node == 0 {
			break // it is full
		}
		*tree.Word(node, pcct.NodeSamples)++
		atomic.AddUint64(&sampling.Ticks, 1)
		w.samples.Add(1)
		if known = append(known, node); w.purge && tree.Purges() {
			tree.Purge()
			known = known[:1]
		}
	}
}

// hold reads the file, and holds what was read against what had been there before.
func (w *liveWriter) hold(t *testing.T, name string, read func(string) (*rundata.Run, error)) {
	registered, executions, samples := w.registered.Load(), w.executions.Load(), w.samples.Load()
	run, err := read(name)
	if err != nil {
		t.Errorf("after %d packages, %d executions, %d samples: %v", registered, executions, samples, err)
		return
	}
	if uint64(len(run.Packages)) < registered {
		t.Errorf("%d packages, and there were %d", len(run.Packages), registered)
	}
	got := uint64(0)
	if run.Contexts != nil {
		for _, n := range run.Contexts.Nodes {
			got += n.Samples
		}
	}
	if got < samples && !w.purge { // else a copy may have a sample neither where it was nor where it is
		t.Errorf("%d samples in contexts, and there were %d", got, samples)
	}
	got = 0
	for _, p := range run.Packages {
		for _, hash := range p.Hashes {
			for _, n := range hash {
				got += n
			}
		}
	}
	if registered > 0 && got < executions {
		t.Errorf("%d executions, and there were %d", got, executions)
	}
}

func readCopy(b []byte, err error) (*rundata.Run, error) {
	if err != nil {
		return nil, err
	}
	return rundata.Read(bytes.NewReader(b), int64(len(b)))
}

// copied copies as many bytes as there were.
func copied(name string) (*rundata.Run, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	b := make([]byte, info.Size())
	_, err = io.ReadFull(f, b)
	return readCopy(b, err)
}

// copiedByReadFile has a byte of what was not there before, and the bytes behind it of a moment later.
func copiedByReadFile(name string) (*rundata.Run, error) { return readCopy(os.ReadFile(name)) }

// copiedInPieces copies pieces that end within words. Of these a part may be of another moment.
func copiedInPieces(name string) (*rundata.Run, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b []byte
	for piece := make([]byte, 8191); ; {
		n, err := f.Read(piece)
		b = append(b, piece[:n]...)
		if err == io.EOF {
			return readCopy(b, nil)
		} else if err != nil {
			return nil, err
		}
	}
}

// A livePoller polls the file as an agent does.
type livePoller struct{ rundata.Poller }

func (p *livePoller) poll(name string) (*rundata.Run, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p.Contexts = true
	if err := p.Poll(f); err != nil {
		return nil, err
	}
	run := p.Run
	for i := range p.Packages {
		run.Packages = append(run.Packages, p.Packages[i].Dense())
	}
	return &run, nil
}
